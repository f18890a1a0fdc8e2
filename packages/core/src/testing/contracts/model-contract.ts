import type { Message, Usage } from "../../domain/message.ts";
import { ModelError, ModelErrorCode } from "../../domain/model.ts";
import type { Model, ModelEvent, ModelRequest, TurnEnd } from "../../ports/model.ts";
import { collectTurn } from "../collect-turn.ts";
import { waitUntil } from "../wait-until.ts";
import { assertEqual, assertThat, type ContractCase } from "./contract.ts";

/** What the vendor's server does in one turn, in vendor-neutral terms. */
export type TurnScript =
  | {
      readonly kind: "answer";
      readonly thought?: string;
      readonly text?: string;
      readonly calls?: readonly ScriptedCall[];
      readonly usage?: Usage;
      readonly end?: TurnEnd;
    }
  /** Sends the text and then nothing, without ending. */
  | { readonly kind: "hang"; readonly text: string }
  /** Sends the text and then breaks the connection. */
  | { readonly kind: "cut"; readonly text: string }
  | { readonly kind: "fail"; readonly code: ModelErrorCode; readonly retryAfterMs?: number };

export interface ScriptedCall {
  readonly id: string;
  readonly tool: string;
  /** As the model wrote them, valid JSON or not. */
  readonly arguments: string;
}

export interface ModelTrial {
  readonly model: Model;
  /** All requests sent to the vendor's server, as texts. */
  sent(): readonly string[];
  /** The number of requests that the vendor's server is still working on. */
  working(): number;
  close(): Promise<void>;
}

export interface ModelTrials {
  /** Opens a model whose vendor's server follows the script, one turn for each request. */
  open(script: readonly TurnScript[]): Promise<ModelTrial>;
  /** What this kind of model cannot do; the cases that need it are left out. */
  readonly without?: readonly ("thoughts" | "usage" | "failures" | "unreadable-arguments" | "refusal")[];
}

const QUESTION: Message = { role: "user", parts: [{ type: "text", text: "What is the weather in Bern?" }] };

const REQUEST: ModelRequest = {
  instructions: "Answer briefly.",
  messages: [QUESTION],
  tools: [
    {
      name: "get_weather",
      description: "The weather of a city",
      inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
    { name: "get_time", description: "The time", inputSchema: { type: "object" } },
  ],
};

const BERN = { id: "call_1", tool: "get_weather", arguments: '{"city":"Bern"}' };
const TIME = { id: "call_2", tool: "get_time", arguments: "" };

const FAILURES = ModelErrorCode.options.filter((code) => code !== "cancelled");

/** What every model guarantees. `trials` opens a model whose vendor's server follows a script. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one list of cases, each of which stands by itself
export function modelContract(trials: ModelTrials): ContractCase[] {
  const can = (ability: NonNullable<ModelTrials["without"]>[number]) => trials.without?.includes(ability) !== true;
  const withTrial = async (script: readonly TurnScript[], use: (trial: ModelTrial) => Promise<void>) => {
    const trial = await trials.open(script);
    try {
      await use(trial);
    } finally {
      await trial.close();
    }
  };
  const cases: (ContractCase | false)[] = [
    {
      name: "streams text as it arrives and ends with stop",
      run: () =>
        withTrial([{ kind: "answer", text: "It is sunny." }], async ({ model }) => {
          const events = await readAll(model);
          assertEqual(textOf(events), "It is sunny.", "the text");
          assertEqual(events.at(-1), { type: "ended", reason: "stop" }, "the last event");
        }),
    },
    {
      name: "sends the instructions, the conversation and the tools",
      run: () =>
        withTrial([{ kind: "answer", text: "Yes." }], async ({ model, sent }) => {
          await readAll(model);
          const [request = ""] = sent();
          for (const text of ["Answer briefly.", "weather in Bern", "get_weather", "The weather of a city", "city"]) {
            assertThat(request.includes(text), `the request contains ${text}: ${request}`);
          }
        }),
    },
    can("thoughts") && {
      name: "distinguishes thoughts from text",
      run: () =>
        withTrial([{ kind: "answer", thought: "Bern is in Switzerland.", text: "Sunny." }], async ({ model }) => {
          const events = await readAll(model);
          assertEqual(thoughtOf(events), "Bern is in Switzerland.", "the thought");
          assertEqual(textOf(events), "Sunny.", "the text");
        }),
    },
    {
      name: "emits a call with parsed arguments, once they are complete",
      run: () =>
        withTrial([{ kind: "answer", text: "Let me look.", calls: [BERN] }], async ({ model }) => {
          const events = await readAll(model);
          assertEqual(callsOf(events), [["call_1", "get_weather", { city: "Bern" }, undefined]], "the calls");
          assertEqual(events.at(-1), { type: "ended", reason: "calls" }, "the last event");
        }),
    },
    {
      name: "emits two calls of one turn in order, and missing arguments as an empty object",
      run: () =>
        withTrial([{ kind: "answer", calls: [BERN, TIME] }], async ({ model }) => {
          const calls = callsOf(await readAll(model));
          const expected = [
            ["call_1", "get_weather", { city: "Bern" }, undefined],
            ["call_2", "get_time", {}, undefined],
          ];
          assertEqual(calls, expected, "the calls");
        }),
    },
    can("unreadable-arguments") && {
      name: "marks arguments that are not a JSON object as unreadable, with the original text",
      run: () =>
        withTrial(
          [
            {
              kind: "answer",
              calls: [
                { ...BERN, arguments: '{"city": "Ber' },
                { ...TIME, arguments: "[1,2]" },
              ],
            },
          ],
          async ({ model }) => {
            const expected = [
              ["call_1", "get_weather", {}, '{"city": "Ber'],
              ["call_2", "get_time", {}, "[1,2]"],
            ];
            assertEqual(callsOf(await readAll(model)), expected, "the calls");
          },
        ),
    },
    {
      name: "C1.6 takes part in a second and a third tool round",
      run: () =>
        withTrial(
          [
            { kind: "answer", ...(can("thoughts") ? { thought: "I need the weather." } : {}), calls: [BERN] },
            { kind: "answer", calls: [TIME] },
            { kind: "answer", text: "Sunny at noon." },
          ],
          async ({ model, sent }) => {
            const first = collectTurn(await readAll(model));
            const afterFirst = [QUESTION, first, answer("call_1", "get_weather", "17 degrees")];
            const second = collectTurn(await readAll(model, afterFirst));
            const afterSecond = [...afterFirst, second, answer("call_2", "get_time", "it is noon")];
            assertEqual(textOf(await readAll(model, afterSecond)), "Sunny at noon.", "the text");
            const last = sent().at(-1) ?? "";
            for (const text of ["call_1", "17 degrees", "call_2", "it is noon"]) {
              assertThat(last.includes(text), `the last request contains ${text}: ${last}`);
            }
          },
        ),
    },
    can("usage") && {
      name: "reports the turn's usage",
      run: () =>
        withTrial(
          [{ kind: "answer", text: "Yes.", usage: { inputTokens: 12, outputTokens: 3 } }],
          async ({ model }) => {
            const used = (await readAll(model)).filter(({ type }) => type === "usage");
            assertEqual(used, [{ type: "usage", usage: { inputTokens: 12, outputTokens: 3 } }], "the usage");
          },
        ),
    },
    {
      name: "ends with length when the answer was cut short",
      run: () =>
        withTrial([{ kind: "answer", text: "It is", end: "length" }], async ({ model }) => {
          assertEqual((await readAll(model)).at(-1), { type: "ended", reason: "length" }, "the last event");
        }),
    },
    can("refusal") && {
      name: "ends with refused when the model would not answer",
      run: () =>
        withTrial([{ kind: "answer", text: "I cannot", end: "refused" }], async ({ model }) => {
          assertEqual((await readAll(model)).at(-1), { type: "ended", reason: "refused" }, "the last event");
        }),
    },
    {
      name: "ends an empty turn with stop",
      run: () =>
        withTrial([{ kind: "answer" }], async ({ model }) => {
          const events = (await readAll(model)).filter(({ type }) => type !== "usage");
          assertEqual(events, [{ type: "ended", reason: "stop" }], "the events");
        }),
    },
    {
      name: "ends with cancelled in the middle of an answer, and closes its request",
      run: () =>
        withTrial([{ kind: "hang", text: "It is" }], async ({ model, working }) => {
          const abort = new AbortController();
          const error = await failureOf(async () => {
            for await (const event of model.stream(REQUEST, abort.signal)) if (event.type === "text") abort.abort();
          });
          assertEqual(error.code, "cancelled", "the code");
          await waitUntil(() => working() === 0);
        }),
    },
    {
      name: "sends nothing if it was cancelled before",
      run: () =>
        withTrial([{ kind: "answer", text: "Yes." }], async ({ model, sent }) => {
          const error = await failureOf(() => drain(model.stream(REQUEST, AbortSignal.abort())));
          assertEqual([error.code, sent().length], ["cancelled", 0], "the code, and how many requests were sent");
        }),
    },
    {
      name: "closes its request when its reader stops",
      run: () =>
        withTrial([{ kind: "hang", text: "It is" }], async ({ model, working }) => {
          for await (const event of model.stream(REQUEST, new AbortController().signal)) {
            if (event.type === "text") break;
          }
          await waitUntil(() => working() === 0);
        }),
    },
    can("failures") && {
      name: "reports a connection that broke in the middle of an answer as unreachable",
      run: () =>
        withTrial([{ kind: "cut", text: "It is" }], async ({ model }) => {
          assertEqual((await failureOf(() => readAll(model))).code, "unreachable", "the code");
        }),
    },
    ...(can("failures") ? FAILURES : []).map((code) => ({
      name: `reports a failure as ${code}, and works again afterwards`,
      run: () =>
        withTrial(
          [
            { kind: "fail", code },
            { kind: "answer", text: "Yes." },
          ],
          async ({ model }) => {
            const error = await failureOf(() => readAll(model));
            assertEqual(error.code, code, `the code of "${error.message}"`);
            assertThat(error.message !== "", "there is a text for people");
            assertEqual(textOf(await readAll(model)), "Yes.", "the next answer");
          },
        ),
    })),
    can("failures") && {
      name: "reports how long to wait if the vendor says so",
      run: () =>
        withTrial([{ kind: "fail", code: "rate-limit", retryAfterMs: 7000 }], async ({ model }) => {
          const error = await failureOf(() => readAll(model));
          assertEqual([error.code, error.retryAfterMs], ["rate-limit", 7000], "the failure");
        }),
    },
  ];
  return cases.filter((item) => item !== false);
}

async function readAll(model: Model, messages: readonly Message[] = [QUESTION]): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  const request = { ...REQUEST, messages };
  for await (const event of model.stream(request, new AbortController().signal)) events.push(event);
  return events;
}

async function drain(events: AsyncIterable<ModelEvent>): Promise<void> {
  for await (const _event of events);
}

async function failureOf(attempt: () => Promise<unknown>): Promise<ModelError> {
  try {
    await attempt();
  } catch (error) {
    if (error instanceof ModelError) return error;
    throw new Error(`only a ModelError may be thrown, not ${String(error)}`, { cause: error });
  }
  throw new Error("the turn should have failed");
}

function answer(id: string, tool: string, text: string): Message {
  return { role: "tool", results: [{ id, tool, text, isError: false }] };
}

function textOf(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === "text" ? event.text : "")).join("");
}

function thoughtOf(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === "thought" ? event.text : "")).join("");
}

function callsOf(events: readonly ModelEvent[]): unknown[] {
  return events.flatMap((event) =>
    event.type === "call" ? [[event.call.id, event.call.tool, event.call.arguments, event.call.unreadable]] : [],
  );
}
