import type { CallOutcome, RunEvent } from "@tacklebox/core";
import { createManualClock, type ManualClock } from "@tacklebox/core/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { plain } from "../output/colour.ts";
import { createCallCards } from "./call-cards.ts";
import { followTurn } from "./follow-turn.ts";
import type { Compose, LivePart, Screen } from "./screen.ts";
import { createChatElicitor } from "./server-questions/chat-elicitor.ts";

const NEVER = new AbortController().signal;
const silent = async () => ({ kind: "silent", why: "withdrawn" }) as const;

let live: Map<LivePart, Compose>;
let clock: ManualClock;
let printed: string;

beforeEach(() => {
  live = new Map();
  printed = "";
  clock = createManualClock();
});

function rowsOf(part: LivePart): readonly string[] {
  return live.get(part)?.(80).rows ?? [];
}

/** Tells these events one after the other, and after each what `look` sees. */
async function follow<T>(
  events: readonly RunEvent[],
  look: (event: RunEvent) => T,
  columns = 80,
): Promise<readonly T[]> {
  const seen: T[] = [];
  async function* run(): AsyncGenerator<RunEvent> {
    for (const event of events) {
      yield event;
      seen.push(look(event));
    }
  }
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
  const ports = {
    engine: { run, answerApproval: async () => true, listApprovals: async () => [] },
    screen,
    person: { choose: silent, readText: silent, holdEarlier: () => () => undefined },
    elicitor: createChatElicitor(),
    cards: createCallCards(screen, clock),
    redact: (text: string) => text,
    sessionBegun: () => undefined,
    cancelRun: () => undefined,
  };
  await followTurn({ prompt: [] }, ports, NEVER);
  return seen;
}

const begun: RunEvent = { type: "run-started", runId: "r", sessionId: "s", model: "m" };
const done: RunEvent = { type: "run-ended", end: { reason: "done" } };

function pending(id: string): RunEvent {
  return { type: "call-pending", id, tool: "echo", server: "s", arguments: {} };
}

function ended(id: string): RunEvent {
  const outcome = { status: "success", shownName: "echo", durationMs: 1 } as CallOutcome;
  return { type: "call-ended", id, outcome, text: "" };
}

describe("below a conversation", () => {
  it("the model is waited for before it speaks, and when all it asked for is there", async () => {
    const events = [begun, pending("1"), pending("2"), ended("1"), ended("2"), done];
    const waits = await follow(events, () => rowsOf("model").length);
    expect(waits).toEqual([1, 0, 0, 0, 1, 1]);
  });

  it("a call that waits for room is shown after a while, and no longer when it runs", async () => {
    const events = [begun, pending("1"), { type: "call-running", id: "1" } as RunEvent, ended("1"), done];
    const rows = await follow(events, (event) => {
      const before = rowsOf("calls");
      if (event.type === "call-pending") clock.advance(2_000);
      return [before, rowsOf("calls")];
    });
    expect(rows[1]).toEqual([[], ["⋯ 1 echo · s · waiting"]]);
    expect(rows[2]?.[0]).toEqual(["⋯ 1 echo · s"]);
    expect(rows[3]?.[0]).toEqual([]);
    expect(clock.pending()).toBe(0);
  });

  it("a failure is told in as many rows as a narrow terminal needs, within reason", async () => {
    const fail = async (message: string) => {
      const failure = { ending: "denied", message } as const;
      const outcome = { status: "error", shownName: "echo", durationMs: 1, failure } as CallOutcome;
      printed = "";
      await follow(
        [begun, pending("1"), { type: "call-ended", id: "1", outcome, text: "" }, done],
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
