// Our door to editors around an engine that says as many pieces of text as the prompt asks for. Kinds take turns, so that no
// two pieces become one message.
import { openEditorSession } from "../../apps/tacklebox/src/acp/editor-session.ts";
import { createOutbox } from "../../apps/tacklebox/src/acp/outbox.ts";
import { createPeer } from "../../apps/tacklebox/src/acp/peer.ts";
import { readChunks } from "../../apps/tacklebox/src/json-lines/read-chunks.ts";
import { splitLines } from "../../apps/tacklebox/src/json-lines/split-lines.ts";
import { createSink } from "../../apps/tacklebox/src/output/sink.ts";
import { createScriptedEngine } from "../../apps/tacklebox/src/testing/scripted-engine.ts";
import { createKnownSecrets, type RunEvent, type RunRequest } from "../../packages/core/src/index.ts";
import { createEventCleaner } from "../../packages/core/src/runs/clean-events.ts";
import { numbered, type Told, toldRuns } from "./told-runs.ts";

const never = new AbortController().signal;
const secrets = createKnownSecrets();
secrets.add(["a secret that is struck out of every piece"]);
const { engine } = createScriptedEngine({
  sessions: {
    open: async () => ({
      kind: "ok",
      value: { id: "session", title: "bench", createdAt: "2026-01-01T00:00:00Z", updatedAt: "2026-01-01T00:00:00Z" },
    }),
  },
  runs: toldRuns(speak),
});

/** As an engine says it: secrets are struck out before anything is told. */
async function* speak({ prompt: [first] }: RunRequest): Told {
  const told: RunEvent[] = [];
  const cleaner = createEventCleaner(secrets.redact, (event) => told.push(event));
  const count = first?.type === "text" ? Number(first.text) : 0;
  for (let index = 0; index <= count; index += 1) {
    if (index === count) cleaner.push({ type: "run-ended", runId: "r", end: { reason: "done" } });
    else cleaner.push({ type: index % 2 === 0 ? "text" : "thought", text: `piece ${index} ` });
    for (let event = told.shift(); event !== undefined; event = told.shift()) yield numbered(event);
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
  hear: () => undefined,
  onBug: (error) => void process.stderr.write(`${String(error)}\n`),
});
const session = openEditorSession(
  { id: "session", isSaved: false, params: { cwd: "/", additionalDirectories: [], mcpServers: [] }, settings: {} },
  {
    door: {
      engine,
      caller: { door: "acp" },
      logger: { log: () => undefined },
      started: Promise.resolve([]),
      choices: () => ({ models: [], gpts: [] }),
      allChoices: Promise.resolve({ models: [], gpts: [] }),
      close: async () => undefined,
    },
    peer,
    abilities: { notices: false, forms: false, urls: false },
    room: () => outbox.room(),
  },
);
for await (const line of splitLines(readChunks(process.stdin, never), 1024 * 1024)) peer.take(line);
