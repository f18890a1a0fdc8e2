import { getEventListeners } from "node:events";
import https from "node:https";
import net, { type AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { callOf, clientInfo, connectionFailure, neverAborted, observe, remote } from "../testing/definitions.ts";
import { eventually } from "../testing/eventually.ts";
import { createHttpFixture } from "../testing/http-fixture.ts";
import { legacyServer, sendResult, sendStatus } from "../testing/scripted-server.ts";
import { selfSigned } from "../testing/self-signed.ts";
import { createFetchExchange } from "./fetch-exchange.ts";
import { createHttpConnector } from "./http-connector.ts";
import { type HttpExchange, readText } from "./http-exchange.ts";
import { toUnreachable } from "./node/network-failure.ts";
import { createNodeExchange } from "./node/node-exchange.ts";

const { serve, open } = createHttpFixture({ afterEach, afterAll });
const exchange = createNodeExchange();
afterAll(() => exchange.close());

async function get(url: string, signal = neverAborted(), over: HttpExchange = exchange): Promise<string> {
  const reply = await over({ method: "GET", url, headers: {}, signal });
  return readText(reply.body, 1000);
}

const closing: net.Server[] = [];
const sockets = new Set<net.Socket>();
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await Promise.all(closing.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

/** Starts a TCP server that passes each connection to `onConnection`; returns its address as an http URL. */
async function accept(onConnection: (socket: net.Socket) => void): Promise<string> {
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    onConnection(socket);
  });
  closing.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

describe("thousands of calls on one connection", () => {
  const warnings: string[] = [];
  const collect = (warning: Error) => void warnings.push(warning.name);
  beforeAll(() => void process.on("warning", collect));
  afterAll(() => void process.off("warning", collect));

  it.each([
    ["node:http", exchange],
    ["fetch", createFetchExchange()],
  ])("leave no listener behind over %s", { timeout: 300_000 }, async (_name, over) => {
    const server = await serve(legacyServer((received, response) => sendResult(response, received, { content: [] })));
    const connector = createHttpConnector({ clientInfo, exchange: over });
    const connection = await connector.open(remote("streamable-http", server.url), observe().options, neverAborted());
    open.push(connection);
    let left = 3000;
    const caller = async () => {
      const signal = neverAborted();
      while (left > 0) {
        left -= 1;
        const call = connection.callTool(callOf("x", { signal }));
        await call.answer;
        await call.finished;
      }
      return getEventListeners(signal, "abort");
    };
    expect((await Promise.all(Array.from({ length: 32 }, caller))).flat()).toEqual([]);
    expect(server.received.filter(({ message }) => message.method === "tools/call")).toHaveLength(3000);
    expect(warnings).toEqual([]);
  });
});

describe("sockets", () => {
  it("are reused by concurrent calls", async () => {
    const ports = new Set<number | undefined>();
    const server = await serve((_, response) => {
      ports.add(response.socket?.remotePort);
      setImmediate(() => sendStatus(response, 200, "ok"));
    });
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(Array.from({ length: 32 }, () => get(server.url)));
    }
    expect(ports.size).toBeLessThanOrEqual(32);
  });

  it("are limited to 256 per server, and a request waiting for one can be aborted", async () => {
    let most = 0;
    const url = await accept((socket) => {
      most = Math.max(most, sockets.size);
      socket.resume();
    });
    const controllers = Array.from({ length: 300 }, () => new AbortController());
    const answers = controllers.map(({ signal }) => connectionFailure(get(url, signal)));
    await eventually(() => expect(sockets.size).toBe(256));
    controllers.at(-1)?.abort();
    expect((await answers.at(-1))?.code).toBe("cancelled");
    for (const controller of controllers) controller.abort();
    for (const error of await Promise.all(answers)) expect(error.code).toBe("cancelled");
    await eventually(() => expect(sockets.size).toBe(0));
    expect(most).toBe(256);
  });

  it("that a server announces it will close soon are not reused", async () => {
    const ports: unknown[] = [];
    const server = await serve((_, response) => {
      ports.push(response.socket?.remotePort);
      sendStatus(response, 200, "ok", { connection: "keep-alive", "keep-alive": "timeout=1" });
    });
    await get(server.url);
    await get(server.url);
    expect(new Set(ports).size).toBe(2);
  });
});

describe("a connection that fails", () => {
  it("after the request was sent is interrupted, on a fresh socket and on a reused one", async () => {
    let replies = 1;
    const url = await accept((socket) =>
      socket.on("data", () => {
        if (replies === 0) return socket.resetAndDestroy();
        replies -= 1;
        return socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
      }),
    );
    expect(await get(url)).toBe("ok");
    const reused = await connectionFailure(get(url));
    const fresh = await connectionFailure(get(url));
    expect([reused.code, fresh.code]).toEqual(["interrupted", "interrupted"]);
    expect(fresh.message).toBe(`The connection to ${url} broke (ECONNRESET).`);
  });

  it("silently is destroyed with the request that is aborted", async () => {
    let received = 0;
    const url = await accept((socket) => {
      socket.on("data", () => {
        received += 1;
      });
    });
    const controller = new AbortController();
    const answer = connectionFailure(get(url, controller.signal));
    await eventually(() => expect(received).toBe(1));
    controller.abort();
    expect((await answer).code).toBe("cancelled");
    await eventually(() => expect(sockets.size).toBe(0));
  });

  it("because the certificate is self-signed, or there is no TLS at all, says so and has sent nothing", async () => {
    let requests = 0;
    const secure = https.createServer(selfSigned, () => {
      requests += 1;
    });
    closing.push(secure);
    await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", resolve));
    const { port } = secure.address() as AddressInfo;
    const signed = await connectionFailure(get(`https://127.0.0.1:${port}/?key=k3y`));
    expect([signed.code, signed.message]).toEqual([
      "unreachable",
      `Cannot reach https://127.0.0.1:${port}/ (DEPTH_ZERO_SELF_SIGNED_CERT): ` +
        "its certificate is self-signed. If you trust it, name its file in NODE_EXTRA_CA_CERTS.",
    ]);
    const plain = await serve((_, response) => sendStatus(response, 200));
    const unsigned = await connectionFailure(get(plain.url.replace("http:", "https:")));
    expect(unsigned.code).toBe("unreachable");
    expect(unsigned.message).toContain("it does not speak TLS. For plain HTTP write http: instead of https:");
    expect([requests, plain.received]).toEqual([0, []]);
  });

  it.each(["EMFILE", "ENFILE"])("for lack of files (%s) says so", (code) => {
    const error = toUnreachable(Object.assign(new Error("connect"), { code }), "http://a.test/?key=k3y");
    expect([error.code, error.retryable, error.isOurs, error.message]).toEqual([
      "unreachable",
      true,
      true,
      `Cannot reach http://a.test/ (${code}): ` +
        "this process has as many files and connections open as it may; close some servers or raise the limit.",
    ]);
  });

  it("for lack of files ends only that call: the connection stays usable", async () => {
    let files = true;
    const scarce: HttpExchange = (request) =>
      files
        ? exchange(request)
        : Promise.reject(toUnreachable(Object.assign(new Error("connect"), { code: "EMFILE" }), request.url));
    const server = await serve(legacyServer((received, response) => sendResult(response, received, { content: [] })));
    const seen = observe();
    const connector = createHttpConnector({ exchange: scarce, clientInfo });
    const connection = await connector.open(remote("streamable-http", server.url), seen.options, neverAborted());
    open.push(connection);
    files = false;
    expect((await connectionFailure(connection.callTool(callOf("x")).answer)).isOurs).toBe(true);
    files = true;
    expect(await connection.callTool(callOf("x")).answer).toMatchObject({ content: [] });
    expect(seen.closed).toEqual([]);
  });

  it("is not even attempted for a header that HTTP cannot carry", async () => {
    const server = await serve((_, response) => sendStatus(response, 200));
    const headers = { "x-a": "b\r\nc: d" };
    const error = await connectionFailure(
      exchange({ method: "GET", url: server.url, headers, signal: neverAborted() }),
    );
    expect([error.code, server.received]).toEqual(["unreachable", []]);
  });
});
