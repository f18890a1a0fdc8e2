import { createRandom } from "@tacklebox/core/testing";
import { describe, expect, it } from "vitest";
import { findBreaches } from "./check-history.ts";
import { type LaneReport, runLane } from "./kill-lane.ts";

const rounds = Number(process.env.TACKLEBOX_KILL_ROUNDS ?? "50");
const seed = Number(process.env.TACKLEBOX_KILL_SEED ?? Math.floor(Math.random() * 1_000_000));
const ROUNDS_PER_LANE = 10;
const LANES_AT_ONCE = 3;
/** A limit for runs that hang; a round takes well under a second on an idle machine. */
const MAX_ROUND_MS = 20_000;

describe("a program that is killed", () => {
  it("executes nothing without a record and nothing twice, loses nothing it acknowledged, leaves nothing open or running", {
    timeout: rounds * MAX_ROUND_MS,
  }, async () => {
    const lanes: LaneReport[] = [];
    const waiting = splitIntoLanes(rounds);
    const worker = async () => {
      for (let lane = waiting.shift(); lane !== undefined; lane = waiting.shift())
        lanes.push(await runLane(lane.name, lane.rounds, createRandom(seed + lane.index)));
    };
    await Promise.all(Array.from({ length: LANES_AT_ONCE }, worker));

    const again = `To see it again: npm run test:kill -- ${rounds} --seed ${seed}`;
    expect(lanes.flatMap(findBreaches), again).toEqual([]);
    const sum = summarize(lanes);
    if (process.env.TACKLEBOX_KILL_ROUNDS !== undefined) process.stdout.write(`${describeSum(sum)}\n`);
    // A run in which nothing was interrupted or acknowledged would prove nothing.
    expect(sum.interrupted, again).toBeGreaterThan(0);
    expect(sum.acknowledged, again).toBeGreaterThan(rounds);
  });
});

function splitIntoLanes(total: number) {
  return Array.from({ length: Math.ceil(total / ROUNDS_PER_LANE) }, (_, index) => ({
    index,
    name: `lane-${index}`,
    rounds: Math.min(ROUNDS_PER_LANE, total - index * ROUNDS_PER_LANE),
  }));
}

function summarize(lanes: readonly LaneReport[]) {
  const total = (count: (lane: LaneReport) => number) => lanes.reduce((sum, lane) => sum + count(lane), 0);
  return {
    starting: total(({ kills }) => kills.starting),
    started: total(({ kills }) => kills.started),
    answering: total(({ kills }) => kills.answering),
    executed: total(({ ledger }) => ledger.length),
    recorded: total(({ records }) => records.length),
    acknowledged: total(({ acknowledged }) => acknowledged.length),
    interrupted: total(({ records }) => records.filter(({ ending }) => ending === "interrupted").length),
  };
}

function describeSum(sum: ReturnType<typeof summarize>): string {
  return (
    `Seed ${seed}. Killed ${sum.starting} times while starting, ${sum.started} just after, ${sum.answering} while ` +
    `answering: ${sum.recorded} calls recorded, ${sum.executed} executed, ${sum.acknowledged} acknowledged, ` +
    `${sum.interrupted} interrupted. No rule was broken.`
  );
}
