import { PassThrough } from "node:stream";
import { type AnyMessage, type ClientApp, client, type InitializeRequest, methods } from "@agentclientprotocol/sdk";
import type { Engine, RunEnd, RunEvent, Session } from "@tacklebox/core";
import { type AcpOptions, run } from "../../commands/acp.ts";
import type { OpenEngine } from "../../compose-engine.ts";
import { createMemoryIo, type MemoryIo } from "../../testing/memory-io.ts";
import { createScriptedEngine, type EngineScript, type ScriptedEngine } from "../../testing/scripted-engine.ts";

export const OPTIONS: AcpOptions = {
  config: undefined,
  json: false,
  logLevel: undefined,
  logFormat: undefined,
  gpt: undefined,
  metricsPort: undefined,
};
const AT = "2026-01-01T00:00:00.000Z";

export interface EditorFixture {
  readonly io: MemoryIo;
  readonly exit: Promise<number>;
  readonly agent: ReturnType<ClientApp["connect"]>["agent"];
  readonly updates: readonly { readonly sessionUpdate: string }[];
  /** The requests the engine was opened with. */
  readonly openings: readonly Parameters<OpenEngine>[0][];
  readonly emit: ScriptedEngine["emit"];
  readonly end: () => void;
}

export interface TestEditor {
  readonly app?: ClientApp;
  /** Members of its initialize request, besides the protocol version. */
  readonly introduction?: Omit<InitializeRequest, "protocolVersion">;
  /** Opens the engine to be used in place of the scripted one. */
  readonly open?: OpenEngine;
}

/** Connects the SDK's client to the command in one process, with a scripted engine. */
export async function startEditor(
  script: EngineScript,
  onTestFinished: (cleanUp: () => Promise<void>) => void,
  { app = client({ name: "test" }), introduction = {}, ...editor }: TestEditor = {},
): Promise<EditorFixture> {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const opened: Engine["sessions"]["open"] = async ({ wantedId = "", id = wantedId }) => ({
    kind: "ok",
    value: session(id),
  });
  const { open, emit } = createScriptedEngine({ ...script, sessions: { open: opened, ...script.sessions } });
  const openings: Parameters<OpenEngine>[0][] = [];
  const openEngine: OpenEngine = (request) => {
    openings.push(request);
    return (editor.open ?? open)(request);
  };
  const memory = createMemoryIo({ stdin });
  const sink = {
    write: async (text: string | Uint8Array) => void stdout.write(text),
    gone: new AbortController().signal,
  };
  const io: MemoryIo = { ...memory, takeStdout: () => sink };
  const exit = run({ io, openEngine }, OPTIONS);
  const updates: { readonly sessionUpdate: string }[] = [];
  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      stdout.setEncoding("utf8").on("data", (text: string) => {
        for (const line of text.split("\n").filter(Boolean)) controller.enqueue(JSON.parse(line));
      });
    },
  });
  const writable = new WritableStream<AnyMessage>({
    write: (message) => void stdin.write(`${JSON.stringify(message)}\n`),
  });
  const { agent } = app
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .connect({ readable, writable });
  onTestFinished(async () => {
    stdin.end();
    await exit;
  });
  await agent.request(methods.agent.initialize, { protocolVersion: 1, ...introduction });
  return { io, exit, agent, updates, openings, emit, end: () => stdin.end() };
}

export function session(id: string, changes: Partial<Session> = {}): Session {
  return { id, title: "t", createdAt: AT, updatedAt: AT, ...changes };
}

export function ended(end: RunEnd = { reason: "done" }): RunEvent {
  return { type: "run-ended", runId: "run-1", end };
}

export async function promptOnce({ agent }: Pick<EditorFixture, "agent">) {
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd: "/project", mcpServers: [] });
  return agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text: "hi" }] });
}
