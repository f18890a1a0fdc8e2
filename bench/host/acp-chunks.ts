// Our ACP agent around a scripted engine that streams as many pieces of text as the prompt asks for. Text and thoughts
// alternate, so that no two pieces are merged into one message.
import { openEditorSession } from "../../apps/tacklebox/src/acp/editor-session.ts";
import { createOutbox } from "../../apps/tacklebox/src/acp/rpc/outbox.ts";
import { createPeer } from "../../apps/tacklebox/src/acp/rpc/peer.ts";
import { readChunks } from "../../apps/tacklebox/src/json-lines/read-chunks.ts";
import { splitLines } from "../../apps/tacklebox/src/json-lines/split-lines.ts";
import { createSink } from "../../apps/tacklebox/src/output/sink.ts";
import { createScriptedEngine } from "../../apps/tacklebox/src/testing/scripted-engine.ts";
import { createKnownSecrets, type RunEvent, type RunRequest } from "../../packages/core/src/index.ts";
import { createEventRedactor } from "../../packages/core/src/runs/redact-events.ts";
import { numbered, type ScriptedEvents, scriptedRuns } from "./scripted-runs.ts";

const never = new AbortController().signal;
const secrets = createKnownSecrets();
secrets.add(["a secret that is redacted in every piece"]);
const { engine } = createScriptedEngine({
  sessions: {
    open: async () => ({
      kind: "ok",
      value: { id: "session", title: "bench", createdAt: "2026-01-01T00:00:00Z", updatedAt: "2026-01-01T00:00:00Z" },
    }),
  },
  runs: scriptedRuns(streamPieces),
});

/** Redacts secrets in every event before it is sent, as the real engine does. */
async function* streamPieces({ prompt: [first] }: RunRequest): ScriptedEvents {
  const ready: RunEvent[] = [];
  const redactor = createEventRedactor(secrets.redact, (event) => ready.push(event));
  const count = first?.type === "text" ? Number(first.text) : 0;
  for (let index = 0; index <= count; index += 1) {
    if (index === count) redactor.push({ type: "run-ended", runId: "r", end: { reason: "done" } });
    else redactor.push({ type: index % 2 === 0 ? "text" : "thought", text: `piece ${index} ` });
    for (let event = ready.shift(); event !== undefined; event = ready.shift()) yield numbered(event);
  }
}

const outbox = createOutbox(createSink(process.stdout));
const peer = createPeer(outbox, {
  async answer(method, params) {
    if (method === "initialize") return { result: { protocolVersion: 1 } };
    if (method === "session/new") return { result: { sessionId: "session" } };
    const stopReason = await (await session).prompt((params as RunRequest).prompt, () => ({}), never);
    return { result: { stopReason } };
  },
  onNotification: () => undefined,
  onBug: (error) => void process.stderr.write(`${String(error)}\n`),
});
const session = openEditorSession(
  { id: "session", isSaved: false, params: { cwd: "/", additionalDirectories: [], mcpServers: [] }, settings: {} },
  {
    door: {
      engine,
      caller: { door: "acp" },
      logger: { log: () => undefined },
      leftOut: undefined,
      started: Promise.resolve([]),
      choices: () => ({ models: [], gpts: [] }),
      allChoices: Promise.resolve({ models: [], gpts: [] }),
      onChoices: () => undefined,
      reloadConfig: async () => ({ kind: "no-file" }),
      onReload: () => () => undefined,
      close: async () => undefined,
    },
    peer,
    abilities: { notices: false, forms: false, urls: false },
    drained: () => outbox.drained(),
  },
);
for await (const line of splitLines(readChunks(process.stdin, never), 1024 * 1024)) peer.receive(line);
