import type { CallPart } from "../../domain/message.ts";
import { ModelError } from "../../domain/model.ts";
import type { ModelEvent, ModelTool } from "../../ports/model.ts";
import { asksFor, type ScriptedTurn } from "../scripted-model.ts";
import type { Random } from "../seeded-random.ts";
import { type Canaries, cutText, pick } from "./canaries.ts";

type Call = Omit<CallPart, "type">;

/** Turns of a model that repeats canaries, whole and in pieces, and puts them into whatever it asks for. */
export interface CanaryTurns {
  /** Three turns: calls of servers' tools, calls of ours, and a failure. */
  readonly failing: readonly ScriptedTurn[];
  /** Two turns: calls of what a session brought, and an end in the middle of the answer. */
  readonly cutOff: readonly ScriptedTurn[];
  /** Speaks and never ends. */
  readonly endless: ScriptedTurn;
  /** Breaks as no model should. */
  readonly broken: ScriptedTurn;
}

const USAGE: ModelEvent = { type: "usage", usage: { inputTokens: 1, outputTokens: 1 } };

export function createCanaryTurns({ all }: Pick<Canaries, "all">, random: Random): CanaryTurns {
  const said = () => `it is ${pick(random, all)} or ${pick(random, all)}.`;
  const called = (id: string, tool: string): Call => ({
    id,
    tool,
    arguments: { text: said(), [said()]: [said()] },
  });
  const spoken = () => [
    ...speak("thought", cutText(random, said())),
    ...speak("text", cutText(random, said())),
    // Character by character, halves of some of them included.
    ...speak("text", said().split("")),
  ];
  return {
    failing: [
      ({ tools }) => [
        ...spoken(),
        ...asksFor(
          ...tools.filter(isCallable).map(({ name }, index) => called(`${index}`, name)),
          { ...called("unreadable", tools.find(isCallable)?.name ?? ""), unreadable: `{"text": "${said().repeat(9)}` },
          called("unknown", said()),
        ),
      ],
      ({ tools }) => [...spoken(), ...asksFor(...ownCalls(tools, said))],
      [...spoken(), new ModelError("rate-limit", said(), { retryAfterMs: 1 })],
    ],
    cutOff: [
      ({ tools }) => asksFor(...tools.filter(isCallable).map(({ name }) => called(name, name))),
      [...spoken(), { type: "ended", reason: "length" }],
    ],
    async *endless() {
      yield* spoken();
      await new Promise(() => undefined);
    },
    async *broken() {
      yield { type: "text", text: "" };
      throw new TypeError(said());
    },
  };
}

/** How much was used is told in the middle, as some vendors do. */
function speak(type: "text" | "thought", pieces: readonly string[]): readonly ModelEvent[] {
  const events = pieces.map((text): ModelEvent => ({ type, text }));
  return [...events.slice(0, 5), USAGE, ...events.slice(5)];
}

/** A server's tool that answers by itself. */
function isCallable({ name, ours }: ModelTool): boolean {
  return ours === undefined && !name.includes("hang") && !name.includes("rest");
}

function ownCalls(tools: readonly ModelTool[], said: () => string): readonly Call[] {
  return tools.flatMap(({ name: tool, ours }): Call[] => {
    if (ours === "call")
      return [{ id: "called", tool, arguments: { name: "files:tell", arguments: { text: said() } } }];
    if (ours !== "search") return [];
    return [
      { id: "found", tool, arguments: { query: "what it is called" } },
      { id: "not-found", tool, arguments: { query: said() } },
    ];
  });
}
