import type { ModelEvent, ModelRequest } from "@tacklebox/core";
import { type ModelTrial, modelContract, type TurnScript } from "@tacklebox/core/testing";
import { describe, expect, it } from "vitest";
import { createDemoModel } from "./demo-model.ts";

const TOOLS: ModelRequest["tools"] = [
  {
    name: "get_weather",
    description: "The weather of a city",
    inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
];

function request(text: string): ModelRequest {
  return { instructions: "", messages: [{ role: "user", parts: [{ type: "text", text }] }], tools: TOOLS };
}

async function read(text: string, signal = new AbortController().signal): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of createDemoModel(true).stream(request(text), signal)) events.push(event);
  return events;
}

describe("the demo model as a model", () => {
  /*
   * There is no server behind it to script, so its responder is replaced. These cases do not apply: it has no thoughts
   * apart from its text, counts no tokens, uses no network that could fail, never writes unreadable arguments, and
   * refuses nothing.
   */
  const without = ["thoughts", "usage", "failures", "unreadable-arguments", "refusal"] as const;
  for (const { name, run } of modelContract({ open: openTrial, without })) it(name, run);

  it("sends its text in small pieces and then the call, the same each time", async () => {
    const events = await read("What is the weather in Bern?");
    expect(events.at(-2)).toEqual({
      type: "call",
      call: { type: "call", id: "call_1", tool: "get_weather", arguments: { city: "Bern" } },
    });
    const pieces = events.flatMap((event) => (event.type === "text" ? [event.text] : []));
    expect(pieces.length).toBeGreaterThan(10);
    expect(pieces.filter((piece) => piece.trim().includes(" "))).toEqual([]);
    expect(await read("What is the weather in Bern?")).toEqual(events);
  });

  it("describes itself in its summary", () => {
    expect(createDemoModel(true).summary).toEqual({
      name: "demo",
      vendor: "demo",
      modelId: "demo",
      isDefault: true,
      source: "built in",
      vision: false,
      contextTokens: 1_000_000,
    });
  });
});

async function openTrial(script: readonly TurnScript[]): Promise<ModelTrial> {
  const turns = [...script];
  const sent: string[] = [];
  let working = 0;
  function* respond(asked: ModelRequest): Generator<ModelEvent> {
    sent.push(JSON.stringify(asked));
    working += 1;
    try {
      yield* follow(turns.shift());
    } finally {
      working -= 1;
    }
  }
  return {
    model: createDemoModel(true, respond),
    sent: () => sent,
    working: () => working,
    close: () => Promise.resolve(),
  };
}

/** More pieces than a cancelled reader takes, but finite, so that a model that does not stop cannot hang the test. */
const LONG = 1_000;

function* follow(turn: TurnScript | undefined): Generator<ModelEvent> {
  if (turn?.kind === "hang") {
    yield { type: "text", text: turn.text };
    for (let piece = 0; piece < LONG; piece += 1) yield { type: "text", text: "" };
    throw new Error("nobody stopped it");
  }
  if (turn?.kind !== "answer") throw new Error("the demo model has no other side that could fail");
  const { text = "", calls = [], end } = turn;
  if (text !== "") yield { type: "text", text };
  for (const { id, tool, arguments: given } of calls)
    yield { type: "call", call: { type: "call", id, tool, arguments: given === "" ? {} : JSON.parse(given) } };
  yield { type: "ended", reason: end ?? (calls.length > 0 ? "calls" : "stop") };
}
