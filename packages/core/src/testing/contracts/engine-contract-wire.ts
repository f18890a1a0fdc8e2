import type { EngineEvent, Numbered } from "../../domain/events.ts";
import type { RunEvent } from "../../domain/run.ts";
import type { Engine } from "../../engine.ts";
import { asksFor, type ScriptedTurn, says } from "../scripted-model.ts";
import { waitUntil } from "../wait-until.ts";
import { assertEqual, assertRejects, assertThat } from "./contract.ts";

export interface WireCase {
  readonly turns?: readonly ScriptedTurn[];
  check(engine: Engine): Promise<void>;
}

const ECHO = { tool: "echo", arguments: { message: "hello" } };
const hello = { id: "m1", ...ECHO };

/** What every door may rely on about everything with an id: calls, runs, and positions in lists and event streams. */
export const WIRE_CASES: Readonly<Record<string, WireCase>> = {
  "a call has the id it was given, which can be used only once": {
    async check(engine) {
      const outcome = await engine.calls.make({ ...ECHO, id: "mine" }, { caller: { door: "cli", client: "a test" } });
      assertEqual([outcome.callId, outcome.status], ["mine", "success"], "the outcome");
      const record = await engine.calls.get("mine");
      assertEqual(record?.caller, { door: "cli", client: "a test" }, "who called");
      assertThat(record?.times !== undefined, "where its time went");
      const twice = await assertRejects(engine.calls.make({ ...ECHO, id: "mine" }), "the same id again");
      assertEqual(codeOf(twice), "conflict", "why");
      const wrong = await assertRejects(engine.calls.make({ ...ECHO, id: "a\0b" }), "an id that is none");
      assertEqual(codeOf(wrong), "invalid", "why");
      assertEqual((await engine.calls.list({ limit: 9 })).items.length, 1, "records");
      assertEqual((await engine.calls.get("nobody")) === undefined, true, "a call that was never made");
    },
  },

  "a waiting call is cancelled by its id, and reports that it was not sent": {
    async check(engine) {
      const making = engine.calls.make({ ...ECHO, id: "mine" }, { approvalMode: "always-ask", attended: true });
      await waitUntil(async () => (await engine.approvals.list()).length === 1);
      assertEqual(await engine.calls.cancel("mine"), true, "cancelling");
      const outcome = await making;
      const failure = outcome.status === "error" ? outcome.failure : undefined;
      assertEqual([failure?.ending, failure?.sent], ["cancelled", false], "the outcome");
      assertEqual(await engine.calls.cancel("mine"), false, "cancelling twice");
      assertEqual(await engine.approvals.list(), [], "what waits");
    },
  },

  "a signal cancels a call": {
    async check(engine) {
      const abort = new AbortController();
      const options = { approvalMode: "always-ask", attended: true, signal: abort.signal } as const;
      const making = engine.calls.make(ECHO, options);
      await waitUntil(async () => (await engine.approvals.list()).length === 1);
      abort.abort();
      const outcome = await making;
      assertEqual(outcome.status === "error" && outcome.failure.ending, "cancelled", "the outcome");
    },
  },

  "lists are read page by page": {
    async check(engine) {
      for (const id of ["a", "b", "c"]) await engine.calls.make({ ...ECHO, id });
      const first = await engine.calls.list({ limit: 2 });
      assertEqual(
        first.items.map(({ id }) => id),
        ["c", "b"],
        "the first page",
      );
      const second = await engine.calls.list({ limit: 2, ...(first.next !== undefined && { after: first.next }) });
      assertEqual([second.items.map(({ id }) => id), second.next ?? "end"], [["a"], "end"], "the last page");
      const wrong = await assertRejects(engine.sessions.list({ limit: 2, after: "nowhere" }), "a wrong cursor");
      assertEqual(codeOf(wrong), "invalid", "why");
    },
  },

  "events are numbered; a reader continues where it was": {
    async check(engine) {
      const reader = engine.events.follow(await engine.events.last())[Symbol.asyncIterator]();
      await engine.calls.make({ ...ECHO, id: "first" });
      const seen = await take(reader, 3);
      await reader.return?.();
      await engine.calls.make({ ...ECHO, id: "second" });
      const rest = engine.events.follow(seen[0]?.id)[Symbol.asyncIterator]();
      const followed = (await take(rest, 5)).map(({ event }) => describe(event));
      await rest.return?.();
      const expected = ["first running", "first success", "second pending", "second running", "second success"];
      assertEqual(followed, expected, "what follows the first event");
    },
  },

  "an event id of another engine yields a gap, and the events after it are complete": {
    async check(engine) {
      const last = await engine.events.last();
      assertThat(/^\S+\.\d+$/.test(last), `an id has an epoch and a number: ${last}`);
      const [, number = "0"] = last.split(".");
      for (const after of [`another.${number}`, "nonsense", `${last}0000`]) {
        const reader = engine.events.follow(after)[Symbol.asyncIterator]();
        const [gap] = await take(reader, 1);
        assertEqual(gap?.event, { type: "gap" }, `after ${after}`);
        await engine.calls.make(ECHO);
        const seen = (await take(reader, 3)).map(({ event }) => event.type);
        assertEqual(seen, ["call-changed", "call-changed", "call-changed"], "what follows");
        await reader.return?.();
      }
    },
  },

  "events about a call do not contain its result": {
    async check(engine) {
      const reader = engine.events.follow()[Symbol.asyncIterator]();
      await engine.calls.make(ECHO);
      const seen = (await take(reader, 3)).map(({ event }) => event);
      await reader.return?.();
      const ended = seen.at(-1);
      assertThat(ended?.type === "call-changed" && ended.call.times !== undefined, "it tells where the time went");
      assertThat(!JSON.stringify(seen).includes('"result"'), "and not what came back");
    },
  },

  "a reader that stops reading a run's events does not end it, and can continue reading": {
    turns: [asksFor(hello), says("He", "llo.")],
    async check(engine) {
      const prompt = [{ type: "text", text: "do it" } as const];
      const id = await engine.runs.start({ prompt, approvalMode: "always-ask" }, { attended: true });
      const first = engine.runs.events(id)[Symbol.asyncIterator]();
      const begun: Numbered<RunEvent>[] = [];
      while (begun.at(-1)?.event.type !== "approval-requested") begun.push(...(await take(first, 1)));
      await first.return?.();
      assertEqual(
        (await engine.runs.list()).map((run) => [run.id, run.status]),
        [[id, "running"]],
        "runs",
      );
      const [asked] = await engine.approvals.list();
      await engine.approvals.answer(asked?.callId ?? "", { kind: "deny" });
      const rest: RunEvent[] = [];
      for await (const { event } of engine.runs.events(id, begun.at(-1)?.id)) rest.push(event);
      assertEqual(
        rest.map(({ type }) => type),
        ["approval-answered", "call-changed", "call-result", "text", "text", "run-ended"],
        "the rest of it",
      );
      const all: RunEvent[] = [];
      for await (const { event } of engine.runs.events(id)) all.push(event);
      assertEqual(all, [...begun.map(({ event }) => event), ...rest], "all of it once more");
      assertEqual(await engine.runs.cancel(id), false, "cancelling what is over");
      assertEqual(await engine.runs.setApprovalMode(id, "auto"), false, "a mode for what is over");
      assertEqual(await engine.runs.confirmShown(id), false, "definitions shown for what is over");
    },
  },

  "a run is cancelled by its id, and is over when the cancellation returns": {
    turns: [asksFor(hello), says("Again.")],
    async check(engine) {
      const prompt = [{ type: "text", text: "do it" } as const];
      const id = await engine.runs.start({ prompt, approvalMode: "always-ask" }, { attended: true });
      await waitUntil(async () => (await engine.approvals.list()).length === 1);
      assertEqual(await engine.runs.cancel(id), true, "cancelling");
      assertEqual(await engine.approvals.list(), [], "what waits");
      const [run] = await engine.runs.list();
      const again = await engine.runs.start({
        prompt,
        ...(run?.sessionId !== undefined && { sessionId: run.sessionId }),
      });
      const events: RunEvent[] = [];
      for await (const { event } of engine.runs.events(again)) events.push(event);
      const last = events.at(-1);
      assertEqual(last?.type === "run-ended" && last.end, { reason: "done" }, "the next prompt in its session");
    },
  },

  "the approval mode of a run can be changed while it is running": {
    turns: [asksFor(hello), asksFor(hello), says("Done.")],
    async check(engine) {
      const prompt = [{ type: "text", text: "do it" } as const];
      const id = await engine.runs.start({ prompt, approvalMode: "always-ask" }, { attended: true });
      await waitUntil(async () => (await engine.approvals.list()).length === 1);
      assertEqual(await engine.runs.setApprovalMode(id, "auto"), true, "changing it");
      const [asked] = await engine.approvals.list();
      await engine.approvals.answer(asked?.callId ?? "", { kind: "deny" });
      const outcomes: string[] = [];
      for await (const { event } of engine.runs.events(id))
        if (event.type === "call-result") outcomes.push(event.outcome.status);
      assertEqual(outcomes, ["error", "success"], "the call that was asked about, and the next");
    },
  },

  "an unknown run is reported as such": {
    async check(engine) {
      const reading = engine.runs.events("nobody")[Symbol.asyncIterator]().next();
      assertEqual(codeOf(await assertRejects(reading, "an unknown run")), "not-found", "why");
    },
  },

  "failures say what kind they are": {
    async check(engine) {
      const answers = [
        await engine.servers.connect("nobody"),
        await engine.servers.readResource("nobody", "file:///x"),
        await engine.servers.subscribe("nobody", "file:///x"),
        await engine.sessions.open({ id: "nobody", servers: [] }),
        await engine.sessions.setTool("nobody", "echo", "in"),
      ];
      const codes = answers.map((answer) => answer.kind === "failed" && answer.failure.code);
      assertEqual(codes, Array(5).fill("not-found"), "codes");
      assertEqual(await engine.servers.unsubscribe("nobody"), false, "a subscription that never was");
      assertEqual(await engine.questions.list(), [], "questions");
      assertEqual(await engine.questions.answer("nobody", { kind: "decline" }), false, "a question that never was");
    },
  },
};

async function take<E>(reader: AsyncIterator<Numbered<E>>, count: number): Promise<Numbered<E>[]> {
  const taken: Numbered<E>[] = [];
  while (taken.length < count) {
    const step = await reader.next();
    if (step.done === true) return taken;
    taken.push(step.value);
  }
  return taken;
}

function describe(event: EngineEvent): string {
  return event.type === "call-changed" ? `${event.call.id} ${event.call.status}` : event.type;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : error;
}
