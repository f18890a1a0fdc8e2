import {
  type AnyMessage,
  type ClientCapabilities,
  type ClientContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  methods,
  type NewSessionResponse,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { until } from "../../support/processes.ts";
import { startProgram, startProgramHere } from "../../support/program.ts";
import { releaseAfterwards } from "../../support/release.ts";
import type { Exit, RunningProcess } from "../../support/running-process.ts";
import { problemOf } from "./check-line.ts";

export interface EditorOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly capabilities?: ClientCapabilities;
  /** Where the agent runs; by default a process of its own. */
  readonly agent?: AgentPlace;
}

export type AgentPlace = "over stdio" | "in this process";
export const AGENT_PLACES: readonly AgentPlace[] = ["over stdio", "in this process"];

/**
 * An editor made of the SDK's client, with the built program as its agent. Every line from the agent is checked by the
 * schema.
 */
export interface Editor {
  readonly program: RunningProcess;
  readonly agent: ClientContext;
  /** What the person answers when asked; tests replace it. */
  onPermission: (request: RequestPermissionRequest, signal: AbortSignal) => Promise<RequestPermissionResponse>;
  onElicitation: (request: CreateElicitationRequest) => Promise<CreateElicitationResponse>;
  readonly permissions: readonly RequestPermissionRequest[];
  /** Sends a request as it is, bypassing the SDK's types, and returns the whole reply. */
  ask(method: string, params: unknown): Promise<Readonly<Record<string, unknown>>>;
  open(cwd: string, mcpServers?: readonly unknown[]): Promise<NewSessionResponse>;
  prompt(sessionId: string, text: string): Promise<PromptResponse>;
  updates(sessionId: string): readonly SessionUpdate[];
  /** All text from the agent in this session so far. */
  agentText(sessionId: string): string;
  /** Waits for a matching update, which may already have arrived. */
  waitFor(sessionId: string, fits: (update: SessionUpdate) => boolean, describe: string): Promise<SessionUpdate>;
  /** Every message received so far, in order. */
  lines(): readonly Readonly<Record<string, unknown>>[];
  /** Closes stdin and waits until the program has ended. */
  quit(): Promise<Exit>;
}

/** Starts the built program and initializes it. */
export async function startEditor(options: EditorOptions = {}): Promise<Editor> {
  const start = options.agent === "in this process" ? startProgramHere : startProgram;
  const program = await start(["acp", ...(options.args ?? [])], options.env === undefined ? {} : { env: options.env });
  const asked = new Map<unknown, string>();
  const raw = new Map<unknown, (reply: Readonly<Record<string, unknown>>) => void>();
  const received: Readonly<Record<string, unknown>>[] = [];
  const problems: string[] = [];
  const notes: SessionNotification[] = [];
  const permissions: RequestPermissionRequest[] = [];
  let rawId = 0;

  function send(message: AnyMessage): void {
    if ("method" in message && "id" in message) asked.set(message.id, message.method);
    program.write(`${JSON.stringify(message)}\n`);
  }

  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      let partialLine = "";
      program.onStdout((text) => {
        const lines = (partialLine + text).split("\n");
        partialLine = lines.pop() ?? "";
        for (const line of lines) receive(line, (message) => controller.enqueue(message));
      });
      void program.exit.then(() => controller.close());
    },
  });

  function receive(line: string, pass: (message: AnyMessage) => void): void {
    const problem = problemOf(line, (id) => asked.get(id));
    if (problem !== undefined) problems.push(`${problem}\n${line}`);
    if (problem === "not JSON-RPC 2.0") return;
    const message: AnyMessage & Readonly<Record<string, unknown>> = JSON.parse(line);
    received.push(message);
    const answered = "method" in message ? undefined : raw.get(message.id);
    if (answered === undefined) pass(message);
    else answered(message);
  }

  releaseAfterwards(async () => {
    await program.stop();
    if (problems.length > 0)
      throw new Error(`The agent said what the protocol does not have:\n${problems.join("\n\n")}`);
  });

  const connection = client({ name: "test editor" })
    .onNotification(methods.client.session.update, ({ params }) => void notes.push(params))
    .onRequest(methods.client.session.requestPermission, ({ params, signal }) => {
      permissions.push(params);
      return editor.onPermission(params, signal);
    })
    .onRequest(methods.client.elicitation.create, ({ params }) => editor.onElicitation(params))
    .connect({ readable, writable: new WritableStream({ write: send }) });

  const updates = (sessionId: string) =>
    notes.filter((note) => note.sessionId === sessionId).map(({ update }) => update);
  const editor: Editor = {
    program,
    agent: connection.agent,
    permissions,
    onPermission: async () => choosing("allow-once"),
    onElicitation: async () => ({ action: "cancel" }),
    ask(method, params) {
      rawId += 1;
      const id = `raw-${rawId}`;
      asked.set(id, method);
      program.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      return new Promise((resolve) => raw.set(id, resolve));
    },
    async open(cwd, mcpServers = []) {
      const { result, error } = await editor.ask("session/new", { cwd, mcpServers });
      if (error !== undefined) throw new Error(JSON.stringify(error));
      return result as NewSessionResponse;
    },
    prompt: (sessionId, text) =>
      connection.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] }),
    updates,
    agentText: (sessionId) =>
      updates(sessionId)
        .map((update) =>
          update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? update.content.text : "",
        )
        .join(""),
    waitFor: (sessionId, fits, describe) => until(() => updates(sessionId).find(fits), { describe }),
    lines: () => received,
    async quit() {
      program.endStdin();
      return program.exit;
    },
  };
  await connection.agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: options.capabilities ?? {},
  });
  return editor;
}

export function choosing(optionId: string): RequestPermissionResponse {
  return { outcome: { outcome: "selected", optionId } };
}
