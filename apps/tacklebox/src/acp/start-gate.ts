import type { AcpDoor } from "./door.ts";
import { RpcError } from "./rpc/rpc-error.ts";
import { formatWaiting } from "./run/follow-run.ts";
import { unlessAborted } from "./unless-aborted.ts";
import type { UpdateStream } from "./updates/update-stream.ts";

/** Holds prompts back until the engine has started. */
export interface StartGate {
  /**
   * Resolves when the engine has started, or at once when the signal is aborted. Rejects with RpcError when something
   * that the config requires is missing, rather than working without it.
   */
  pass(signal: AbortSignal): Promise<void>;
}

export function createStartGate({ engine, started }: AcpDoor, stream: UpdateStream): StartGate {
  let isStarted = false;
  void started.then(() => {
    isStarted = true;
  });

  async function reportWaiting(): Promise<void> {
    const awaited = (await engine.servers.list()).filter(({ status }) => status === "connecting");
    if (awaited.length === 0) return;
    stream.text("agent_thought_chunk", `${formatWaiting(awaited.map(({ name }) => name))}\n`);
  }

  return {
    async pass(signal) {
      if (!isStarted) await reportWaiting();
      const problems = await unlessAborted(started, signal);
      if (problems === undefined || problems.length === 0) return;
      const servers = await engine.servers.list();
      const connected = servers.filter(({ status }) => status === "connected").map(({ key }) => key);
      const left = problems.filter(({ kind, server = "" }) => kind !== "unreachable" || !connected.includes(server));
      if (left.length > 0) throw new RpcError("internal", left.map(({ text }) => text).join("\n\n"));
    },
  };
}
