import type { CallOutcome, CallStatus, ElicitationAnswer, RunEvent, RunOptions, ServerQuestion } from "@tacklebox/core";
import { createManualClock, type ManualClock, waitUntil } from "@tacklebox/core/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { plain } from "../../output/colour.ts";
import { APPROVAL_REQUEST } from "../../testing/approval-request.ts";
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

const ASKED = { id: "q", callId: "1", scope: "agent", server: "s", message: "Sure?", expiresAt: 0 } as const;
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

  it("waiting and running are told apart while a call goes on", async () => {
    const question: ServerQuestion = { ...ASKED, ...{ kind: "form", schema: {} } };
    const events: readonly RunEvent[] = [
      begun,
      pending("1"),
      { type: "approval-requested", request: { ...APPROVAL_REQUEST, callId: "1" } },
      { type: "approval-answered", callId: "1", answer: "allow" },
      changed("1", "running"),
      { type: "question-asked", question },
      { type: "question-answered", callId: "1", questionId: "q", answer: "accept" },
      { type: "call-progressed", callId: "1", progress: { progress: 1, total: 2 } },
      done,
    ];
    const rows = await follow(events, () => {
      clock.advance(3_000);
      return rowsOf("calls")[0];
    });
    expect(rows.slice(2, -1)).toEqual([
      "⋯ 1 echo · s · waiting for you, 3 s",
      "⋯ 1 echo · s · waiting for a slot, 3 s",
      "⋯ 1 echo · s · running, 3 s",
      "⋯ 1 echo · s · waiting for you, 3 s",
      "⋯ 1 echo · s · running, 6 s",
      "⋯ 1 echo · s · running, 9 s · 1/2",
    ]);
  });

  it("a long name is cut before what its call is doing is", async () => {
    const rows = await follow([begun, changed("1", "pending", "s".repeat(90)), done], () => {
      clock.advance(2_000);
      return rowsOf("calls")[0];
    });
    expect(rows[1]).toBe(`⋯ 1 echo · ${"s".repeat(41)}… · waiting for a slot, 2 s`);
  });

  it("a card says how long its call ran, and apart from that how long it waited", async () => {
    const times = { personMs: 11_600, slotMs: 0, runMs: 200 };
    const success = changed("1", "success");
    if (success.type !== "call-changed") throw new Error("no call");
    const timed: RunEvent = { ...success, call: { ...success.call, times } };
    await follow([begun, pending("1"), timed, ended("1"), done], () => undefined);
    expect(printed).toContain("✓ 1 echo · s · 0.2 s, after 11.6 s waiting for you\n");
    printed = "";
    await follow([begun, pending("1"), timed, ended("1"), done], () => undefined, 40);
    expect(printed).toContain("✓ 1 echo · s · 0.2 s, after 11.6 s\n  waiting for you\n");
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
  it("ends with the tokens of all its turns, if the model reports any", async () => {
    const usage = (inputTokens: number, outputTokens: number): RunEvent => ({
      type: "usage",
      usage: { inputTokens, outputTokens },
    });
    await follow([begun, usage(1_000, 80), { type: "text", text: "Hi." }, usage(204, 5), done], () => undefined);
    expect(printed).toContain("1,204 tokens in, 85 out\n\n");
    printed = "";
    await follow([begun, { type: "text", text: "Hi." }, done], () => undefined);
    expect(printed).not.toContain("tokens");
  });

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
    const question: ServerQuestion = { ...ASKED, ...{ kind: "form", schema: {} } };
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
