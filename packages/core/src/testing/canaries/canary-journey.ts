import type { ApprovalRequest } from "../../domain/approval.ts";
import type { RunRequest } from "../../domain/run.ts";
import type { CallOptions, Engine } from "../../engine.ts";
import { assertRejects, assertThat } from "../contracts/contract.ts";
import type { ManualClock } from "../manual-clock.ts";
import { waitUntil } from "../wait-until.ts";
import type { CanaryConfig } from "./canary-config.ts";
import { LEAKY_TOOLS, type LeakyConnector, REFUSING } from "./leaky-connector.ts";

export interface CanaryJourney {
  readonly engine: Engine;
  readonly connector: LeakyConnector;
  readonly config: CanaryConfig;
  readonly clock: ManualClock;
  /** Returns text that contains secrets, as a person might type it; different ones each time. */
  readonly typed: () => string;
}

const ATTENDED = { attended: true, caller: { door: "chat" } } as const;
const WITHIN = { sessionId: "brought" };
const EVERY_SERVER = ["files", "web", "bearer", "keyed", "basic", "custom", "plain", "added", "reloaded"];
const OTHER_TOOLS = ["fail", "break", "steps", "odd"];

/** Uses every member of a started engine. Its model must follow the turns of createCanaryTurns in order. */
export async function useEverything(journey: CanaryJourney): Promise<void> {
  await openSession(journey);
  await visitServers(journey);
  await visitTools(journey);
  await visitCalls(journey);
  await visitApprovals(journey);
  await visitQuestions(journey);
  await visitSession(journey);
  await visitRuns(journey);
  await leave(journey);
}

/** Opens a session with its own servers and waits until each is connected or has failed. */
async function openSession({ engine, config }: CanaryJourney): Promise<void> {
  const opening = { servers: config.brought, folders: ["/project"], title: JSON.stringify(config.brought) };
  const opened = await engine.sessions.open({ ...opening, wantedId: WITHIN.sessionId });
  assertThat(opened.kind === "ok", "the session is open");
  await waitUntil(async () => (await engine.servers.list(WITHIN)).every(({ status }) => status !== "connecting"));
}

async function visitServers({ engine, connector, config, clock, typed }: CanaryJourney): Promise<void> {
  const { servers } = engine;
  await servers.offers();
  await servers.add(config.added);
  await servers.list();
  for (const key of ["added", "files", REFUSING, typed()]) await servers.connect(key);
  for (const uri of ["x://one", `x://${typed()}`, "x://broken"]) await servers.readResource("web", uri);
  await servers.readResource(typed(), "x://one");
  for (const name of ["one", "broken"]) {
    await servers.getPrompt("keyed", name, { login: typed() });
    await servers.complete("basic", { target: { kind: "prompt", name }, argument: "a", typed: typed(), known: {} });
  }
  await servers.subscribe("files", "x://broken");
  const subscribed = await servers.subscribe("files", `x://${typed()}`);
  connector.options("files").onResourceUpdated?.(`x://${connector.say("files")}`);
  connector.options("files").onOffersChanged?.("prompts");
  if (subscribed.kind === "ok") await servers.unsubscribe(subscribed.value.id);
  connector.drop("bearer", connector.say("bearer"));
  await servers.list();
  // The server is retried.
  clock.advance(10_000);
  await servers.connect("bearer");
  await servers.disconnect("keyed");
  await servers.connect("keyed");
}

async function visitTools({ engine, connector, typed }: CanaryJourney): Promise<void> {
  const { tools } = engine;
  await tools.list();
  connector.describeAnew("files");
  await waitUntil(async () => (await tools.trust("files", await tools.changed("files"))).length > 0);
  await tools.list();
  await tools.search("does what it is called");
  await tools.search(typed());
  for (const name of [...LEAKY_TOOLS, "elsewhere", "unreadable", "untyped", typed()]) {
    await tools.explain(name);
    await tools.find(name);
  }
  await tools.find("tell", { server: "files" });
}

async function visitCalls({ engine, clock, typed }: CanaryJourney): Promise<void> {
  const { calls } = engine;
  const caller = { door: "acp", client: typed() } as const;
  for (const [index, server] of EVERY_SERVER.entries())
    for (const tool of ["tell", OTHER_TOOLS[index % OTHER_TOOLS.length] ?? "fail"])
      await calls.make({ tool, server, arguments: { text: typed(), [typed()]: [typed()] } }, { ...ATTENDED, caller });
  const wrong = { text: 1, among: typed(), description: [typed()], [typed()]: { [typed()]: typed() } };
  await calls.make({ tool: "tell", server: "files", arguments: wrong, id: "mine" });
  await calls.make({ tool: typed(), arguments: { text: typed() } });
  await calls.make({ tool: "tell", server: typed(), arguments: {} });
  await calls.make({ tool: "tell", server: "web", arguments: {}, unreadable: `{"text": "${typed().repeat(9)}` });
  const again = { tool: "tell", server: "web", arguments: {} };
  for (const id of [typed(), "mine"]) await assertRejects(calls.make({ ...again, id }), "an id that cannot be");
  const hanging = calls.make({ tool: "hang", server: "files", arguments: { text: typed() }, id: "hanging" }, ATTENDED);
  await waitUntil(async () => (await calls.get("hanging"))?.status === "running");
  await calls.cancel("hanging");
  await hanging;
  // The server asks to be left alone, so the second call is refused.
  for (const tool of ["rest", "tell"]) await calls.make({ tool, server: "plain", arguments: {} }, ATTENDED);
  await engine.servers.list();
  clock.advance(10_000);
}

async function visitApprovals({ engine, connector, typed }: CanaryJourney): Promise<void> {
  const { approvals, tools } = engine;
  const asking: CallOptions = { ...ATTENDED, approvalMode: "always-ask" };
  const ask = async (id: string) => {
    const made = engine.calls.make({ tool: "guarded", server: "web", id, arguments: { text: typed() } }, asking);
    return { made, request: await waiting(engine, id) };
  };
  const denied = await ask("denied");
  await approvals.answer("denied", { kind: "deny", reason: typed() });
  await denied.made;

  const edited = await ask("edited");
  await approvals.answer("edited", { ...yesTo(edited.request), editedArguments: { text: 1, among: typed() } });
  const askedAgain = await waiting(engine, "edited");
  await approvals.answer("edited", { ...yesTo(askedAgain), editedArguments: { text: typed() } });
  await edited.made;

  const kept = await ask("kept");
  await approvals.answer("kept", { ...yesTo(kept.request), lasting: "always" });
  await kept.made;
  connector.describeAnew("web");
  await waitUntil(async () => (await tools.trust("web", await tools.changed("web"))).length > 0);
  const changed = await ask("changed");
  assertThat(changed.request.changedFrom !== undefined, "what was agreed to before is shown");
  await approvals.answer("changed", { ...yesTo(changed.request), lasting: "always" });
  await changed.made;
}

async function waiting(engine: Engine, id: string): Promise<ApprovalRequest> {
  for (;;) {
    const found = (await engine.approvals.list()).find(({ callId }) => callId === id);
    if (found !== undefined) return found;
    await waitUntil(async () => (await engine.approvals.list()).length > 0);
  }
}

function yesTo({ argumentsDigest, fingerprint }: ApprovalRequest) {
  return { kind: "allow", argumentsDigest, fingerprint } as const;
}

async function visitQuestions({ engine, typed }: CanaryJourney): Promise<void> {
  const { questions } = engine;
  for (const server of ["files", "web"]) {
    const made = engine.calls.make({ tool: "ask", server, arguments: { text: typed() } }, ATTENDED);
    await waitUntil(async () => (await questions.list()).length === 1);
    await questions.answer((await questions.list())[0]?.id ?? "", { kind: "accept", content: { login: typed() } });
    await waitUntil(async () => (await questions.list()).length === 1);
    await questions.answer((await questions.list())[0]?.id ?? "", { kind: "decline" });
    await made;
  }
}

async function visitSession({ engine, typed }: CanaryJourney): Promise<void> {
  const { sessions, servers } = engine;
  await sessions.open({ servers: [], id: typed() });
  for (const key of ["own", "near"]) await servers.offers(key, WITHIN);
  await servers.connect(`${REFUSING}-too`, WITHIN);
  await engine.tools.list(WITHIN);
  await engine.tools.explain("tell", "own", WITHIN);
  for (const server of ["own", "near"])
    for (const tool of ["tell", "fail", "break"])
      await engine.calls.make({ tool, server, arguments: { text: typed() } }, { ...ATTENDED, ...WITHIN });
  await sessions.setTool(WITHIN.sessionId, "own:tell", "in");
  await sessions.setTool(WITHIN.sessionId, typed(), "in");
  await sessions.setTool(typed(), "own:tell", "in");
}

async function visitRuns({ engine, typed }: CanaryJourney): Promise<void> {
  const { gpts, runs } = engine;
  const prompt = () => [{ type: "text", text: typed() } as const];
  const saved = { key: "saved", name: "Saved", tools: {}, approval: "auto", trustedTools: [] } as const;
  await gpts.save({ ...saved, description: typed(), instructions: typed() });
  await gpts.save({ ...saved, key: "configured", instructions: typed() });
  await gpts.list();
  await engine.models.list();
  await runAll(engine, { prompt: prompt(), gpt: "saved" }, typed);
  await runAll(engine, { prompt: prompt(), ...WITHIN, approvalMode: "always-ask" }, typed);
  const id = await runs.start({ prompt: prompt() }, ATTENDED);
  await waitUntil(async () => (await runs.list()).some((run) => run.id === id && run.sessionId !== undefined));
  await runs.confirmShown(id);
  await runs.setApprovalMode(id, "trusted-only");
  await runs.cancel(id);
  for await (const _event of runs.events(id));
  // By a model that breaks.
  await runAll(engine, { prompt: prompt() }, typed);
  const wrong: readonly Partial<RunRequest>[] = [
    { gpt: typed() },
    { model: typed() },
    { sessionId: typed() },
    { tools: { [typed()]: "in" } },
  ];
  for (const request of wrong) await runAll(engine, { prompt: prompt(), ...request }, typed);
  await assertRejects(runs.events(typed())[Symbol.asyncIterator]().next(), "a run that is none");
  await gpts.remove("saved");
  await gpts.remove("configured");
}

/** Runs a prompt to its end. Denies every approval request for the session, with a reason, and answers questions. */
async function runAll(engine: Engine, request: RunRequest, typed: () => string): Promise<void> {
  const id = await engine.runs.start(request, { ...ATTENDED, showsDefinitions: true });
  for await (const { event } of engine.runs.events(id)) {
    if (event.type === "definitions-new") await engine.runs.confirmShown(id);
    if (event.type === "approval-requested")
      await engine.approvals.answer(event.request.callId, { kind: "deny", reason: typed(), lasting: "session" });
    if (event.type === "question-asked")
      await engine.questions.answer(event.question.id, { kind: "accept", content: { login: typed() } });
  }
}

async function leave({ engine, config, connector, typed }: CanaryJourney): Promise<void> {
  const { sessions, secrets, servers, grants } = engine;
  for (const { id } of (await sessions.list({ limit: 100 })).items) {
    await sessions.get(id);
    await sessions.messages(id);
  }
  await assertRejects(sessions.messages(WITHIN.sessionId, { after: typed() }), "a page that is none");
  await assertRejects(sessions.list({ limit: 1, after: typed() }), "a page that is none");
  await engine.calls.list({ limit: 1_000 });
  for (const { id } of await grants.list()) await grants.revoke(id);
  await servers.list(WITHIN);
  await sessions.close(WITHIN.sessionId);
  await sessions.remove(WITHIN.sessionId);
  await secrets.list();
  for (const name of ["FIRST", typed()]) await secrets.check(name);
  await secrets.put(typed(), typed());
  await secrets.rotate();
  await secrets.forget("FIRST");
  await secrets.redact(`${typed()} ${connector.say("files")}`);
  await servers.remove("agent", config.added.key);
  await engine.events.last();
}
