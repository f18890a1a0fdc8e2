import { loadConversation } from "../../client/load-conversation.ts";
import { type StreamOptions, streamRun } from "../../client/stream-run.ts";
import type { ApprovalRequest } from "../../domain/approval.ts";
import type { Gpt } from "../../domain/gpt.ts";
import { ModelError } from "../../domain/model.ts";
import type { RunEnd, RunEvent, RunRequest } from "../../domain/run.ts";
import type { Engine } from "../../engine.ts";
import type { EngineHost } from "../../engine-host.ts";
import { allow } from "../scripted-approver.ts";
import { asksFor, type ScriptedTurn, says } from "../scripted-model.ts";
import { waitUntil } from "../wait-until.ts";
import { assertEqual, assertThat } from "./contract.ts";

/** The model's turns, and a check of what must then be true of the engine. */
export interface RunCase {
  readonly turns: readonly ScriptedTurn[];
  check(engine: Engine, host: Pick<EngineHost, "stop">): Promise<void>;
}

const hello = { id: "m1", tool: "echo", arguments: { message: "hello" } };
/** Says a word and never ends by itself. */
const endless: ScriptedTurn = async function* () {
  yield { type: "text", text: "Well" };
  await new Promise(() => undefined);
};
const GPT: Gpt = {
  key: "brief",
  name: "Brief",
  instructions: "Be brief.",
  tools: {},
  approval: "always-ask",
  trustedTools: [],
};

/** What every door may rely on about runs, approvals and sessions, by case name. */
export const RUN_CASES: Readonly<Record<string, RunCase>> = {
  "runs a prompt to its end: text is streamed, calls are made, recorded and reported": {
    turns: [asksFor(hello), says("He", "llo.")],
    async check(engine) {
      const events = await run(engine);
      assertEqual(
        events.map(({ type }) => type),
        ["run-started", "call-changed", "call-changed", "call-changed", "call-result", "text", "text", "run-ended"],
        "events",
      );
      assertEqual(endOf(events), { reason: "done" }, "the end");
      const ended = events.flatMap((event) => (event.type === "call-result" ? [event] : []));
      const [record] = (await engine.calls.list({ limit: 1 })).items;
      assertEqual(
        [ended[0]?.callId, ended[0]?.outcome.callId],
        [record?.id, record?.id],
        "the call has one id everywhere",
      );
      assertEqual([record?.status, record?.toolName], ["success", "echo"], "the record");
    },
  },

  "S1.43 a failed call is reported to the model, which goes on": {
    turns: [asksFor({ ...hello, arguments: {} }, { id: "m2", tool: "nobody", arguments: {} }), says("Sorry.")],
    async check(engine) {
      const events = await run(engine);
      const endings = events.flatMap((event) =>
        event.type === "call-result" && event.outcome.status === "error" ? [event.outcome.failure.ending] : [],
      );
      assertEqual([...endings].sort(), ["invalid-arguments", "unknown-tool"], "endings");
      assertEqual(endOf(events), { reason: "done" }, "the end");
    },
  },

  "a model that fails ends the run with its reason, and the messages so far are kept": {
    turns: [[{ type: "text", text: "It is" }, new ModelError("rate-limit", "Later, please")]],
    async check(engine) {
      const [started, ...events] = await run(engine);
      const end = { reason: "model-error", code: "rate-limit", message: "Later, please" };
      assertEqual([events[0], events.length, endOf(events)], [{ type: "text", text: "It is" }, 2, end], "events");
      const kept = await loadConversation(engine, sessionOf(started));
      assertEqual(
        kept?.messages.map(({ message }) => message.role),
        ["user", "assistant"],
        "the session",
      );
    },
  },

  "says which GPT, model or session does not exist, and sends nothing": {
    turns: [],
    async check(engine) {
      for (const wrong of [{ model: "nobody" }, { gpt: "nobody" }, { sessionId: "nobody" }]) {
        const events = await run(engine, wrong);
        const [end] = events.flatMap((event) => (event.type === "run-ended" ? [event.end.reason] : []));
        assertEqual([events.length, end], [1, "not-started"], JSON.stringify(wrong));
      }
      assertEqual((await engine.sessions.list({ limit: 9 })).items, [], "sessions");
    },
  },

  "lists its models, one of them the default": {
    turns: [],
    async check(engine) {
      const models = await engine.models.list();
      assertEqual(
        models.map(({ name, isDefault }) => [name, isDefault]),
        [["scripted", true]],
        "models",
      );
    },
  },

  "a signal cancels a run at once; the session is free again": {
    turns: [endless, says("Again.")],
    async check(engine) {
      const abort = new AbortController();
      const events: RunEvent[] = [];
      for await (const event of streamRun(engine, request({}), { signal: abort.signal })) {
        events.push(event);
        if (event.type === "text") abort.abort();
      }
      assertEqual(endOf(events), { reason: "cancelled" }, "the end");
      const again = await run(engine, { sessionId: sessionOf(events[0]) });
      assertEqual(endOf(again), { reason: "done" }, "the next prompt");
    },
  },

  "a run stops when its listener does, even while it waits for a person": {
    turns: [asksFor(hello), says("Again.")],
    async check(engine) {
      let sessionId = "";
      for await (const event of streamRun(engine, request(ASK), { attended: true })) {
        if (event.type === "run-started") sessionId = event.sessionId;
        if (event.type === "approval-requested") break;
      }
      await waitUntil(async () => (await engine.approvals.list()).length === 0);
      const again = await run(engine, { sessionId });
      assertEqual(endOf(again), { reason: "done" }, "the next prompt");
    },
  },

  "D.9 an approval request is denied where no one can answer": {
    turns: [asksFor(hello), says("ok")],
    async check(engine) {
      const events = await run(engine, ASK);
      assertEqual(endingsOf(events), ["denied"], "endings");
    },
  },

  "T23 lists the requests that wait for an answer; the first answer wins and counts once": {
    turns: [asksFor(hello), says("ok")],
    async check(engine) {
      const running = run(engine, ASK, { attended: true });
      const asked = await nextApproval(engine);
      assertEqual([asked.shownName, asked.arguments], ["echo", { message: "hello" }], "what is asked");
      assertEqual(await engine.approvals.answer("nobody", allow(asked)), false, "an answer to something else");
      assertEqual(await engine.approvals.answer(asked.callId, allow(asked)), true, "the first answer");
      assertEqual(await engine.approvals.answer(asked.callId, { kind: "deny" }), false, "the second");
      const events = await running;
      assertEqual(endingsOf(events), ["success"], "endings");
      assertThat(
        events.some((event) => event.type === "approval-answered" && event.answer === "allow"),
        "the answer is reported",
      );
      assertEqual(await engine.approvals.list(), [], "what waits afterwards");
    },
  },

  "T23 an answer to other arguments does not count": {
    turns: [asksFor(hello), says("ok")],
    async check(engine) {
      const running = run(engine, ASK, { attended: true });
      const asked = await nextApproval(engine);
      await engine.approvals.answer(asked.callId, { ...allow(asked), argumentsDigest: "of others" });
      assertEqual(endingsOf(await running), ["denied"], "endings");
    },
  },

  "T23 arguments that a person edits are checked, sent and recorded instead of the model's; the yes counts once": {
    turns: [asksFor(hello, { ...hello, id: "m2", arguments: { message: "second" } }), says("ok")],
    async check(engine) {
      const running = run(engine, ASK, { attended: true });
      await waitUntil(async () => (await engine.approvals.list()).length === 2);
      const [first, second] = await engine.approvals.list();
      if (first === undefined || second === undefined) throw new Error("Two calls wait for an answer");
      await engine.approvals.answer(second.callId, { kind: "deny", reason: "not that one" });
      await engine.approvals.answer(first.callId, { ...allow(first), editedArguments: {} });
      await waitUntil(async () => (await engine.approvals.list()).some(({ reason }) => reason !== first.reason));
      const lasting = "always" as const;
      const edited = { ...allow(first), editedArguments: { message: "edited" }, lasting };
      assertEqual(await engine.approvals.answer(first.callId, edited), true, "the answer that fits the schema");
      assertEqual([...endingsOf(await running)].sort(), ["denied", "success"], "endings");
      const records = (await engine.calls.list({ limit: 9 })).items;
      const made = records.find(({ id }) => id === first.callId);
      assertEqual([made?.status, made?.arguments], ["success", { message: "edited" }], "the record");
      assertEqual(await engine.grants.list(), [], "an edited answer is not remembered");
    },
  },

  "an answer for the session applies in it and nowhere else, whether yes or no": {
    turns: [
      asksFor(hello),
      says("no"),
      asksFor(hello),
      says("no"),
      asksFor(hello),
      says("ok"),
      asksFor(hello),
      says("ok"),
    ],
    async check(engine) {
      for (const verdict of ["deny", "allow"] as const) {
        const running = run(engine, ASK, { attended: true });
        const asked = await nextApproval(engine);
        const answer = verdict === "allow" ? allow(asked) : { kind: verdict, reason: "stop that" };
        await engine.approvals.answer(asked.callId, { ...answer, lasting: "session" });
        const events = await running;
        const expected = verdict === "allow" ? "success" : "denied";
        assertEqual(endingsOf(events), [expected], "the call that was asked about");
        const sessionId = sessionOf(events[0]);
        const again = await run(engine, { ...ASK, sessionId });
        assertEqual(endingsOf(again), [expected], "the next one in the session");
        assertThat(!again.some(({ type }) => type === "approval-requested"), "nobody is asked again");
        assertEqual(
          (await engine.grants.list()).map((grant) => [grant.verdict, grant.sessionId]).at(-1),
          [verdict, sessionId],
          "the grant",
        );
        await engine.sessions.remove(sessionId);
        assertEqual(await engine.grants.list(), [], "grants go with their session");
      }
    },
  },

  "a lasting answer settles the tool's other waiting requests, whether yes or no": {
    turns: [asksFor(hello, { ...hello, id: "m2" }), says("ok"), asksFor(hello, { ...hello, id: "m2" }), says("ok")],
    async check(engine) {
      for (const verdict of ["deny", "allow"] as const) {
        const running = run(engine, ASK, { attended: true });
        await waitUntil(async () => (await engine.approvals.list()).length === 2);
        const asked = await nextApproval(engine);
        const answer = verdict === "allow" ? allow(asked) : { kind: verdict };
        await engine.approvals.answer(asked.callId, { ...answer, lasting: "session" });
        assertEqual(await engine.approvals.list(), [], "what waits once the answer was taken");
        const events = await running;
        const expected = verdict === "allow" ? "success" : "denied";
        assertEqual(endingsOf(events), [expected, expected], "both calls");
        const answers = events.flatMap((event) => (event.type === "approval-answered" ? [event.answer] : []));
        assertEqual(answers, [verdict, verdict], "the reported answers");
        assertEqual((await engine.grants.list()).length, 1, "grants");
        await engine.sessions.remove(sessionOf(events[0]));
      }
    },
  },

  "a permanent answer is a grant: no one is asked again until it is revoked": {
    turns: [asksFor(hello), says("ok"), asksFor(hello), says("ok"), asksFor(hello), says("ok")],
    async check(engine) {
      const running = run(engine, ASK, { attended: true });
      const asked = await nextApproval(engine);
      await engine.approvals.answer(asked.callId, { ...allow(asked), lasting: "always" });
      await running;
      assertEqual(endingsOf(await run(engine, ASK)), ["success"], "with the grant");
      const [grant, ...others] = await engine.grants.list();
      assertEqual([grant?.server, grant?.tool, others.length], ["echoer", "echo", 0], "grants");
      assertEqual(await engine.grants.revoke(grant?.id ?? ""), true, "revoking");
      assertEqual(await engine.grants.revoke(grant?.id ?? ""), false, "revoking twice");
      assertEqual(endingsOf(await run(engine, ASK)), ["denied"], "without it");
    },
  },

  "sessions are listed, continued and removed": {
    turns: [says("Hello, Ada."), says("Ada.")],
    async check(engine) {
      const sessionId = sessionOf((await run(engine))[0]);
      await run(engine, { sessionId });
      const sessions = (await engine.sessions.list({ limit: 9 })).items;
      assertEqual(
        sessions.map(({ id, title }) => [id, title]),
        [[sessionId, "do it"]],
        "sessions",
      );
      const loaded = await loadConversation(engine, sessionId);
      assertEqual(
        loaded?.messages.map(({ number, message }) => [number, message.role]),
        [
          [1, "user"],
          [2, "assistant"],
          [3, "user"],
          [4, "assistant"],
        ],
        "messages",
      );
      assertEqual(await engine.sessions.remove(sessionId), true, "removing");
      assertEqual(await engine.sessions.remove(sessionId), false, "removing twice");
      assertEqual((await loadConversation(engine, sessionId)) === undefined, true, "loading what is gone");
    },
  },

  "C3.1 a tool that a person removed from a session is gone from it until it is added again": {
    turns: [says("Hi."), asksFor(hello), says("No."), asksFor(hello), says("Yes.")],
    async check(engine) {
      const sessionId = sessionOf((await run(engine))[0]);
      const taken = await engine.sessions.setTool(sessionId, "echo", "out");
      assertEqual(taken.kind === "ok" && taken.value.tools, { "echoer:echo": "out" }, "the choice");
      assertEqual(endingsOf(await run(engine, { sessionId })), ["unknown-tool"], "a call without it");
      await engine.sessions.setTool(sessionId, "echoer:echo");
      assertEqual(endingsOf(await run(engine, { sessionId })), ["success"], "a call with it");
      assertEqual((await engine.sessions.setTool(sessionId, "nobody", "in")).kind, "failed", "an unknown tool");
      assertEqual((await engine.sessions.setTool("nobody", "echo", "in")).kind, "failed", "an unknown session");
    },
  },

  "C3.2 the answer to a prompt records which tools were sent with it": {
    turns: [says("Hi.")],
    async check(engine) {
      const { messages = [] } = (await loadConversation(engine, sessionOf((await run(engine))[0]))) ?? {};
      const answer = messages[1]?.message;
      const tools = [{ name: "echo", server: "echoer", mode: "always" }];
      assertEqual(
        answer?.role === "assistant" && answer.selection,
        { tools, left: 0, demoted: 0, capped: 0 },
        "the selection",
      );
    },
  },

  "S1.33 a saved GPT is listed, decides who is asked, and is removed": {
    turns: [asksFor(hello), says("ok")],
    async check(engine) {
      assertEqual((await engine.gpts.save(GPT)).kind, "ok", "saving");
      assertEqual(await engine.gpts.list(), [GPT], "GPTs");
      assertEqual(endingsOf(await run(engine, { gpt: GPT.key })), ["denied"], "a call of it");
      assertEqual(await engine.gpts.remove(GPT.key), { kind: "ok", value: true }, "removing");
      assertEqual(await engine.gpts.remove(GPT.key), { kind: "ok", value: false }, "removing twice");
    },
  },

  "stopping ends a run in progress": {
    turns: [endless],
    async check(engine, host) {
      const running = run(engine);
      await waitUntil(async () => (await engine.sessions.list({ limit: 1 })).items.length === 1);
      await host.stop(0);
      assertEqual(endOf(await running), { reason: "cancelled" }, "the end");
    },
  },
};

const ASK = { approvalMode: "always-ask" } as const;

function request(more: Partial<RunRequest>): RunRequest {
  return { prompt: [{ type: "text", text: "do it" }], ...more };
}

async function run(engine: Engine, more: Partial<RunRequest> = {}, options: StreamOptions = {}): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  let runId = "";
  for await (const event of streamRun(engine, request(more), { showsDefinitions: true, ...options })) {
    if (event.type === "run-started") runId = event.runId;
    if (event.type === "definitions-new") await engine.runs.confirmShown(runId);
    else events.push(event);
  }
  return events;
}

async function nextApproval(engine: Engine): Promise<ApprovalRequest> {
  await waitUntil(async () => (await engine.approvals.list()).length > 0);
  const [asked] = await engine.approvals.list();
  if (asked === undefined) throw new Error("What waited for an answer is gone");
  return asked;
}

function endingsOf(events: readonly RunEvent[]): readonly string[] {
  const outcomes = events.flatMap((event) => (event.type === "call-result" ? [event.outcome] : []));
  return outcomes.map((outcome) => (outcome.status === "success" ? "success" : outcome.failure.ending));
}

function endOf(events: readonly RunEvent[]): RunEnd | undefined {
  const last = events.at(-1);
  return last?.type === "run-ended" ? last.end : undefined;
}

function sessionOf(event: RunEvent | undefined): string {
  if (event?.type !== "run-started") throw new Error("The first event of a run is run-started");
  return event.sessionId;
}
