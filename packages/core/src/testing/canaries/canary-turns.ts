import type { CallPart } from "../../domain/message.ts";
import { ModelError } from "../../domain/model.ts";
import type { ModelEvent, ModelTool } from "../../ports/model.ts";
import { asksFor, type ScriptedTurn } from "../scripted-model.ts";
import type { Random } from "../seeded-random.ts";
import { type Canaries, cutText, pick } from "./canaries.ts";

type Call = Omit<CallPart, "type">;

/** Turns of a model that repeats canaries, whole and in pieces, and puts them into its calls. */
export interface CanaryTurns {
  /** Three turns: calls of servers' tools, calls of the engine's own tools, and a failure. */
  readonly failing: readonly ScriptedTurn[];
  /** Two turns: calls of the session's own servers, and an answer that is cut off. */
  readonly cutOff: readonly ScriptedTurn[];
  /** Sends text and never ends. */
  readonly endless: ScriptedTurn;
  /** Throws an error that is not a ModelError, which no model should. */
  readonly broken: ScriptedTurn;
}

const USAGE: ModelEvent = { type: "usage", usage: { inputTokens: 1, outputTokens: 1 } };

export function createCanaryTurns({ all }: Pick<Canaries, "all">, random: Random): CanaryTurns {
  const leakyText = () => `it is ${pick(random, all)} or ${pick(random, all)}.`;
  const leakyCall = (id: string, tool: string): Call => ({
    id,
    tool,
    arguments: { text: leakyText(), [leakyText()]: [leakyText()] },
  });
  const leakyStream = () => [
    ...speak("thought", cutText(random, leakyText())),
    ...speak("text", cutText(random, leakyText())),
    // One UTF-16 unit at a time, which splits surrogate pairs.
    ...speak("text", leakyText().split("")),
  ];
  return {
    failing: [
      ({ tools }) => [
        ...leakyStream(),
        ...asksFor(
          ...tools.filter(isCallable).map(({ name }, index) => leakyCall(`${index}`, name)),
          {
            ...leakyCall("unreadable", tools.find(isCallable)?.name ?? ""),
            unreadable: `{"text": "${leakyText().repeat(9)}`,
          },
          leakyCall("unknown", leakyText()),
        ),
      ],
      ({ tools }) => [...leakyStream(), ...asksFor(...ownCalls(tools, leakyText))],
      [...leakyStream(), new ModelError("rate-limit", leakyText(), { retryAfterMs: 1 })],
    ],
    cutOff: [
      ({ tools }) => asksFor(...tools.filter(isCallable).map(({ name }) => leakyCall(name, name))),
      [...leakyStream(), { type: "ended", reason: "length" }],
    ],
    async *endless() {
      yield* leakyStream();
      await new Promise(() => undefined);
    },
    async *broken() {
      yield { type: "text", text: "" };
      throw new TypeError(leakyText());
    },
  };
}

/** Reports usage in the middle of the text, as some vendors do. */
function speak(type: "text" | "thought", pieces: readonly string[]): readonly ModelEvent[] {
  const events = pieces.map((text): ModelEvent => ({ type, text }));
  return [...events.slice(0, 5), USAGE, ...events.slice(5)];
}

/** Whether it is a server's tool that answers every time. */
function isCallable({ name, builtIn: ours }: ModelTool): boolean {
  return ours === undefined && !name.includes("hang") && !name.includes("rest");
}

function ownCalls(tools: readonly ModelTool[], leakyText: () => string): readonly Call[] {
  return tools.flatMap(({ name: tool, builtIn: ours }): Call[] => {
    if (ours === "call")
      return [{ id: "called", tool, arguments: { name: "files:tell", arguments: { text: leakyText() } } }];
    if (ours !== "search") return [];
    return [
      { id: "found", tool, arguments: { query: "what it is called" } },
      { id: "not-found", tool, arguments: { query: leakyText() } },
    ];
  });
}
