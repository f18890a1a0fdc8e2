import { describe, expect, it } from "vitest";
import { ModelError } from "../domain/model.ts";
import type { ModelEvent, ModelRequest } from "../ports/model.ts";
import { collectTurn } from "./collect-turn.ts";
import { type ModelTrial, modelContract, type TurnScript } from "./contracts/model-contract.ts";
import { asksFor, createScriptedModel, type ScriptedTurn, says, scriptedModels } from "./scripted-model.ts";

const REQUEST: ModelRequest = { instructions: "", messages: [], tools: [] };
const never = new AbortController().signal;

describe("the scripted model", () => {
  for (const { name, run } of modelContract({ open: openTrial })) it(name, run);

  it("plays its turns in order, records its requests, and answers ok when the script is over", async () => {
    const model = createScriptedModel([
      asksFor({ id: "1", tool: "echo", arguments: {} }),
      (request) => says(`${request.messages.length} messages`),
    ]);
    const call: ModelEvent = { type: "call", call: { type: "call", id: "1", tool: "echo", arguments: {} } };
    expect(await all(model.stream(REQUEST, never))).toEqual([call, { type: "ended", reason: "calls" }]);
    expect(await all(model.stream(REQUEST, never))).toEqual(says("0 messages"));
    expect(await all(model.stream(REQUEST, never))).toEqual(says("ok"));
    expect(model.requests).toHaveLength(3);
  });

  it("is opened by name, and as the default", async () => {
    const [one, two] = [createScriptedModel([], { name: "one" }), createScriptedModel([], { name: "two" })];
    const models = scriptedModels(one, two);
    expect(await models.open()).toEqual({ kind: "opened", model: one });
    expect(await models.open("two")).toEqual({ kind: "opened", model: two });
    expect(await models.open("three")).toEqual({ kind: "unknown", message: "There is no model 'three'" });
    expect((await models.list()).map(({ name }) => name)).toEqual(["one", "two"]);
  });
});

describe("the message of a turn", () => {
  it("joins deltas of one kind, ends a part at its mark, and keeps a part that is a mark alone", () => {
    const events: ModelEvent[] = [
      { type: "thought", text: "a" },
      { type: "thought", text: "b" },
      { type: "thought", text: "", vendor: { sign: 1 } },
      { type: "thought", text: "", vendor: { sign: 2 } },
      { type: "text", text: "c" },
      { type: "text", text: "d" },
      { type: "call", call: { type: "call", id: "1", tool: "t", arguments: {} } },
      { type: "text", text: "e" },
      { type: "ended", reason: "calls" },
    ];
    expect(collectTurn(events).parts).toEqual([
      { type: "thought", text: "ab", vendor: { sign: 1 } },
      { type: "thought", text: "", vendor: { sign: 2 } },
      { type: "text", text: "cd" },
      { type: "call", id: "1", tool: "t", arguments: {} },
      { type: "text", text: "e" },
    ]);
  });
});

async function all(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const seen: ModelEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

async function openTrial(script: readonly TurnScript[]): Promise<ModelTrial> {
  let working = 0;
  const model = createScriptedModel(
    script.map((turn): ScriptedTurn => {
      if (turn.kind !== "hang") return toEvents(turn);
      return async function* (_request, signal) {
        working += 1;
        signal.addEventListener("abort", () => {
          working -= 1;
        });
        yield { type: "text", text: turn.text };
        await new Promise(() => undefined);
      };
    }),
  );
  return {
    model,
    sent: () => model.requests.map((request) => JSON.stringify(request)),
    working: () => working,
    close: () => Promise.resolve(),
  };
}

function toEvents(turn: Exclude<TurnScript, { kind: "hang" }>): readonly (ModelEvent | ModelError)[] {
  if (turn.kind === "fail") return [new ModelError(turn.code, "It failed.", turn)];
  if (turn.kind === "cut") return [{ type: "text", text: turn.text }, new ModelError("unreachable", "It broke off.")];
  const { thought, text, calls = [], usage, end } = turn;
  return [
    ...(thought === undefined ? [] : [{ type: "thought", text: thought } as const]),
    ...(text === undefined ? [] : [{ type: "text", text } as const]),
    ...calls.map(
      (call) => ({ type: "call", call: { type: "call", id: call.id, tool: call.tool, ...read(call) } }) as const,
    ),
    ...(usage === undefined ? [] : [{ type: "usage", usage } as const]),
    { type: "ended", reason: end ?? (calls.length > 0 ? "calls" : "stop") },
  ];
}

function read({ arguments: written }: { readonly arguments: string }) {
  if (written === "") return { arguments: {} };
  return written.startsWith("{") && written.endsWith("}")
    ? { arguments: JSON.parse(written) }
    : { arguments: {}, unreadable: written };
}
