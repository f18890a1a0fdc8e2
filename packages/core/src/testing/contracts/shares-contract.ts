import { Stop } from "../../async/stop.ts";
import type { Gate } from "../../call/slots/gate.ts";
import { createLimiter, type Limiter } from "../../call/slots/limiter.ts";
import type { SlotAnswer } from "../../call/slots/wait-for-room.ts";
import { systemClock } from "../../platform/system-clock.ts";
import type { Shares, SlotShares } from "../../ports/shares.ts";
import { waitUntil } from "../wait-until.ts";
import { assertEqual, assertThat, type ContractCase } from "./contract.ts";

const LIMIT = 4;
const GATE: Gate = { key: "toolbox", limit: LIMIT, of: { kind: "toolbox" } };
const LONG_MS = 600_000;

/** What every owner of shares guarantees. `create` returns the shares of two processes with common limits. */
export function sharesContract(create: () => Promise<readonly [Shares, Shares]>): ContractCase[] {
  return [...slotCases(create), ...rateCases(create)];
}

function slotCases(create: () => Promise<readonly [Shares, Shares]>): ContractCase[] {
  const createUsers = async () => {
    const [one, other] = await create();
    return [createUser(one.slots), createUser(other.slots)] as const;
  };
  return [
    {
      name: "grants whole numbers from 0 to the limit, whose sum never exceeds the limit",
      run: async () => {
        const shares = await create();
        const grants = shares.map(({ slots }) => slots.granted(GATE.key, LIMIT));
        for (const grant of grants)
          assertThat(Number.isInteger(grant) && grant >= 0 && grant <= LIMIT, `a grant of ${grant}`);
        assertThat(sum(grants) <= LIMIT, `grants of ${grants.join(" and ")}`);
      },
    },
    {
      name: "gives all of a limit to a process that wants it while the other wants nothing",
      run: async () => {
        const [one] = await createUsers();
        one.call(LIMIT);
        await waitUntil(() => one.running() === LIMIT);
        one.end();
      },
    },
    {
      name: "moves slots only once they were released, and then without another request",
      run: async () => {
        const [one, other] = await createUsers();
        one.call(LIMIT);
        await waitUntil(() => one.running() === LIMIT);
        other.call(1);
        for (let turns = 0; turns < 10; turns += 1) {
          await new Promise<void>((resolve) => setTimeout(resolve, 1));
          assertEqual(other.running(), 0, "calls let in beside a full limit");
        }
        while (one.running() > 0) one.end(1);
        await waitUntil(() => other.running() === 1);
        other.end();
      },
    },
    {
      name: "lets both processes make progress when both want everything, and never exceeds the limit",
      run: async () => {
        const users = await createUsers();
        for (const user of users) user.call(50);
        while (users.some(({ ended }) => ended() < 50)) {
          await waitUntil(() => users.some(({ running }) => running() > 0));
          const running = users.map((user) => user.running());
          assertThat(sum(running) <= LIMIT, `${running.join(" and ")} calls at once`);
          for (const user of users) user.end(1);
        }
      },
    },
    {
      name: "keeps gates apart",
      run: async () => {
        const [one, other] = await createUsers();
        one.call(LIMIT);
        await waitUntil(() => one.running() === LIMIT);
        other.call(LIMIT, { ...GATE, key: "another" });
        await waitUntil(() => other.running() === LIMIT);
        one.end();
        other.end();
      },
    },
  ];
}

function rateCases(create: () => Promise<readonly [Shares, Shares]>): ContractCase[] {
  return [
    {
      name: "hands out no more calls at once than the burst of a rate, to all processes in total",
      run: async () => {
        const shares = await create();
        const rate = { perMinute: 1, burst: 5 };
        const takeRound = () => sum(shares.map(({ rates }) => rates.takeCalls("slow", rate)));
        let taken = 0;
        // The first attempts may get no calls, if the owner still has to fetch them.
        await waitUntil(() => {
          taken += takeRound();
          return taken >= 1;
        });
        for (let round = 0; round < 20; round += 1) taken += takeRound();
        assertThat(taken <= 5, `${taken} calls of a burst of 5`);
      },
    },
    {
      name: "notifies a process that found no calls to take when there are some again",
      run: async () => {
        const [{ rates }] = await create();
        const notified: string[] = [];
        rates.onChange((key) => notified.push(key));
        const rate = { perMinute: 3_000, burst: 1 };
        while (rates.takeCalls("fast", rate) > 0);
        await waitUntil(() => notified.includes("fast"));
        // The other process may have been quicker, in which case the listener is called again.
        await waitUntil(() => rates.takeCalls("fast", rate) > 0);
      },
    },
  ];
}

/** A process that uses its shares: a limiter, and calls that run until they are ended. */
function createUser(shares: SlotShares) {
  const limiter: Limiter = createLimiter(systemClock, shares);
  const running: Extract<SlotAnswer, { kind: "taken" }>[] = [];
  let ended = 0;
  const begin = (answer: SlotAnswer) => answer.kind === "taken" && running.push(answer);
  return {
    /** Makes calls that run as soon as there are free slots. */
    call(count: number, gate = GATE): void {
      for (let made = 0; made < count; made += 1) {
        const ticket = limiter.take([gate], LONG_MS, new Stop());
        if (ticket.waiting) void ticket.answer.then(begin);
        else begin(ticket.answer);
      }
    },
    running: () => running.length,
    ended: () => ended,
    end(count = running.length): void {
      for (const slot of running.splice(0, count)) {
        slot.release();
        ended += 1;
      }
    },
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
