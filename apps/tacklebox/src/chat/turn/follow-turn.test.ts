import type { CallOutcome, CallStatus, ElicitationAnswer, RunEvent, RunOptions, ServerQuestion } from "@tacklebox/core";
import { createManualClock, type ManualClock, waitUntil } from "@tacklebox/core/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { plain } from "../../output/colour.ts";
import { scriptedRuns } from "../../testing/scripted-runs.ts";
import type { Compose, LivePart, Screen } from "../terminal/screen.ts";
import { createScriptedPerson } from "../testing/scripted-person.ts";
import { createCallCards } from "./call-cards.ts";
import { followTurn, type TurnDeps } from "./follow-turn.ts";

const NEVER = new AbortController().signal;
const silent = async () => ({ kind: "none", why: "withdrawn" }) as const;

let live: Map<LivePart, Compose>;
let clock: ManualClock;
let printed: string;
let options: RunOptions | undefined;
let answers: [string, ElicitationAnswer][];

beforeEach(() => {
  live = new Map();
  printed = "";
  options = undefined;
  answers = [];
  clock = createManualClock();
});

function rowsOf(part: LivePart): readonly string[] {
  return live.get(part)?.(80).rows ?? [];
}

/** Sends the events one after the other, and collects the result of `look` after each. */
async function follow<T>(
  events: readonly RunEvent[],
  look: (event: RunEvent) => T,
  columns = 80,
  person: TurnDeps["person"] = { choose: silent, readText: silent },
): Promise<readonly T[]> {
  const seen: T[] = [];
  const runs = scriptedRuns(async function* (_, run) {
    ({ options } = run);
    for (const event of events) {
      yield event;
      seen.push(look(event));
    }
  });
  const screen: Screen = {
    paint: plain,
    columns: () => columns,
    print(lines) {
      printed += lines;
    },
    stream: () => undefined,
    endLine: () => undefined,
    show: (part, compose) => void (compose === undefined ? live.delete(part) : live.set(part, compose)),
    wipe: () => undefined,
    close: () => undefined,
  };
  const deps = {
    engine: {
      runs,
      approvals: { list: async () => [], answer: async () => true },
      questions: {
        list: async () => [],
        async answer(id: string, answer: ElicitationAnswer) {
          answers.push([id, answer]);
          return true;
        },
      },
    },
    screen,
    person,
    cards: createCallCards(screen, clock),
    sessionBegun: () => undefined,
    cancelRun: () => undefined,
  };
  await followTurn({ prompt: [] }, deps, NEVER);
  return seen;
}

const begun: RunEvent = { type: "run-started", runId: "r", sessionId: "s", model: "m" };
const done: RunEvent = { type: "run-ended", runId: "r", end: { reason: "done" } };

function changed(id: string, status: CallStatus, server = "s"): RunEvent {
  const named = { scope: "agent", server, toolName: "echo", shownName: "echo" };
  return { type: "call-changed", call: { id, ...named, arguments: {}, status, startedAt: "" } };
}

const pending = (id: string) => changed(id, "pending");

function ended(id: string): RunEvent {
  const outcome = { status: "success", shownName: "echo", durationMs: 1 } as CallOutcome;
  return { type: "call-result", callId: id, outcome, text: "" };
}

describe("below a conversation", () => {
  it("a waiting row shows before the model answers, and once all results are in", async () => {
    const events = [begun, pending("1"), pending("2"), ended("1"), ended("2"), done];
    const waits = await follow(events, () => rowsOf("model").length);
    expect(waits).toEqual([1, 0, 0, 0, 1, 1]);
  });

  it("a call that waits for a slot is shown as waiting after a while, until it runs", async () => {
    const events = [begun, pending("1"), changed("1", "running"), ended("1"), done];
    const rows = await follow(events, (event) => {
      const before = rowsOf("calls");
      if (event.type === "call-changed" && event.call.status === "pending") clock.advance(2_000);
      return [before, rowsOf("calls")];
    });
    expect(rows[1]).toEqual([[], ["⋯ 1 echo · s · waiting for a slot, 2 s"]]);
    expect(rows[2]?.[0]).toEqual(["⋯ 1 echo · s · running"]);
    expect(rows[3]?.[0]).toEqual([]);
    expect(clock.pending()).toBe(0);
  });

  it("a failure takes as many rows as a narrow terminal needs, up to a limit", async () => {
    const fail = async (message: string) => {
      const failure = { ending: "denied", message } as const;
      const outcome = { status: "error", shownName: "echo", durationMs: 1, failure } as CallOutcome;
      printed = "";
      await follow(
        [begun, pending("1"), { type: "call-result", callId: "1", outcome, text: "" }, done],
        () => undefined,
        30,
      );
      return printed.split("\n").slice(1, 7);
    };
    expect(await fail("It needs approval and nobody can answer here")).toEqual([
      "✗ 1 echo · s · denied · 1 ms",
      "  {}",
      "  It needs approval and",
      "  nobody can answer here",
      "",
      expect.anything(),
    ]);
    const long = await fail("word ".repeat(100));
    expect(long.filter((row) => row.includes("word")).at(-1)).toMatch(/…$/);
  });
});

describe("a run of a chat", () => {
  it("is attended, and names its caller", async () => {
    await follow([begun, done], () => undefined);
    expect(options).toEqual({ attended: true, showsDefinitions: true, caller: { door: "chat" } });
  });

  it("shows a call once, however often it changes, and leaves out the server of an unknown tool", async () => {
    const late = changed("1", "error", "");
    await follow([begun, changed("1", "pending", ""), late, ended("1"), late, done], () => undefined);
    expect(printed.match(/echo.*/g)).toEqual(["echo · 1 ms"]);
    expect(clock.pending()).toBe(0);
  });

  it("asks the person a server's question, and passes their answer to the engine", async () => {
    const question: ServerQuestion = {
      ...{ id: "q", callId: "1", scope: "agent", server: "s", message: "Sure?", expiresAt: 0 },
      ...{ kind: "form", schema: {} },
    };
    const { person, asked } = createScriptedPerson(["a"]);
    const events: readonly RunEvent[] = [
      ...[begun, pending("1"), changed("1", "running")],
      { type: "question-asked", question },
    ];
    await follow(events, () => undefined, 80, person);
    await waitUntil(() => answers.length === 1);
    expect([answers, asked]).toEqual([[["q", { kind: "accept", content: {} }]], ["adc"]]);
  });
});
