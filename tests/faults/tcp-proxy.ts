import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "@tacklebox/mcp/testing";
import { releaseAfterwards } from "../support/release.ts";

/** What happens to connections: forwarded, forwarded byte by byte, silently swallowed, or reset. */
type ProxyMode = "pass" | "drip" | "blackhole" | "reset";

/** A TCP proxy in front of a real server, for faults that a server cannot inflict on its own connections. */
export interface TcpProxy {
  readonly origin: string;
  /** Applies to open connections too. */
  setMode(mode: ProxyMode): void;
  /** Stops listening and drops everything: connections are refused from now on. */
  refuse(): Promise<void>;
  /** Listens again at the same address, in mode `pass`. */
  heal(): Promise<void>;
  open(): number;
}

export async function startTcpProxy(targetOrigin: string): Promise<TcpProxy> {
  const target = Number(new URL(targetOrigin).port);
  const pairs = new Set<readonly [Socket, Socket]>();
  let mode: ProxyMode = "pass";
  // Outside the range the system assigns from, so that it is still free when the proxy listens again.
  const port = await freePort();
  let server = await listen(port);

  function accept(near: Socket): void {
    if (mode === "reset") return void near.resetAndDestroy();
    const far = connect(target, "127.0.0.1");
    const pair = [near, far] as const;
    pairs.add(pair);
    const drop = () => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of pair) socket.on("error", drop).on("close", drop);
    near.on("data", (chunk) => mode !== "blackhole" && far.write(chunk));
    far.on("data", (chunk) => void forward(chunk, near));
  }

  async function forward(chunk: Buffer, near: Socket): Promise<void> {
    for (let sent = 0; mode === "drip" && sent < chunk.length && !near.destroyed; sent += 1) {
      near.write(chunk.subarray(sent, sent + 1));
      await delay(20);
    }
    if (mode === "pass") near.write(chunk);
  }

  async function listen(at: number): Promise<Server> {
    const listening = createServer(accept);
    await new Promise<void>((resolve, reject) => {
      listening.once("error", reject);
      listening.listen(at, "127.0.0.1", resolve);
    });
    return listening;
  }

  async function close(): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const [near] of pairs) near.resetAndDestroy();
    await closed;
  }

  releaseAfterwards(close);
  return {
    origin: `http://127.0.0.1:${port}`,
    setMode(next) {
      mode = next;
      if (next === "reset") for (const [near] of pairs) near.resetAndDestroy();
    },
    refuse: close,
    async heal() {
      mode = "pass";
      if (!server.listening) server = await listen(port);
    },
    open: () => pairs.size,
  };
}
