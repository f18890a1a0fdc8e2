import { createApprovalQueue } from "./call/approvals/approval-queue.ts";
import { createCallsAtWork } from "./call/approvals/calls-at-work.ts";
import { grantsWithin, notingGrants } from "./call/approvals/grants.ts";
import { headlessApprover } from "./call/approvals/headless-approver.ts";
import { createQuestionQueue } from "./call/approvals/question-queue.ts";
import { type CallSettings, createCallContext, entryOf } from "./call/call-context.ts";
import type { CallContext, CallDeps } from "./call/call-tool.ts";
import { callsInFlight } from "./call/calls-in-flight.ts";
import { createEngineCalls } from "./call/engine-calls.ts";
import { createLimiter } from "./call/slots/limiter.ts";
import { createRateMeter } from "./call/slots/rate-meter.ts";
import type { ApprovedCall } from "./domain/call.ts";
import { serverKey } from "./domain/server.ts";
import type { RegisteredTool, ToolRef } from "./domain/tool.ts";
import type { Engine } from "./engine.ts";
import type { EngineConfig, EngineHost } from "./engine-host.ts";
import { createAnnouncer } from "./events/announcer.ts";
import { createLifecycle } from "./lifecycle/lifecycle.ts";
import { withSharedTimer } from "./platform/shared-timer.ts";
import type { Ports } from "./ports/ports.ts";
import { createEngineGpts } from "./runs/engine-gpts.ts";
import { createEngineRuns } from "./runs/engine-runs.ts";
import { createEngineSecrets } from "./secrets/engine-secrets.ts";
import { redactJson } from "./secrets/redact.ts";
import { type Access, createAgentAccess } from "./servers/access.ts";
import { createEngineServers } from "./servers/engine-servers.ts";
import { createServerSet } from "./servers/server-set.ts";
import { createEngineSessions } from "./sessions/engine-sessions.ts";
import { createOpenSessions } from "./sessions/open-sessions.ts";
import { createEngineTools } from "./toolbox/engine-tools.ts";
import { createToolboxKeeper } from "./toolbox/keep-toolbox.ts";
import { createToolCleaner } from "./toolbox/redact-tool.ts";
import { createModelHelp } from "./toolbox/search/ask-models.ts";
import { createToolIndex } from "./toolbox/search/tool-index.ts";

const CANCEL_GRACE_MS = 5_000;
const MAX_RESULT_CHARACTERS = 16 * 1024 * 1024;

/** The engine of this process: puts the parts together, holds no rules of its own. */
export function createEngine(initial: EngineConfig, ports: Ports): EngineHost {
  const { clock, logger, store, knownSecrets, newId } = ports;
  const { redact } = knownSecrets;
  const announcer = createAnnouncer(clock);
  const { emit, watch } = announcer;
  const flight = callsInFlight(clock);
  const atWork = createCallsAtWork();
  const questions = createQuestionQueue({ atWork, clock, newId, redact, emit });
  const askPerson = ports.answersQuestions === true ? questions.ask : undefined;
  const lifecycle = createLifecycle(initial, {
    ports,
    emit,
    flight,
    agent: () => ({ set, keeper }),
    closeSessions: () => sessions.closeAll(),
  });
  const settings = () => lifecycle.config().toolbox;
  const set = createServerSet({
    ports,
    async recall(scope, key) {
      const inventory = await store.inventory.load(scope, key);
      return { inventory, era: inventory?.era };
    },
    emit,
    guard: flight.guard,
    started: lifecycle.started,
    rootsFor: () => undefined,
    askPerson,
    listingChanged(definition) {
      if (!lifecycle.isRunning()) return keeper.joined();
      keeper.refresh();
      set.catalog.settle(definition);
    },
  });
  const keeper = createToolboxKeeper(settings, set.enabled, { catalog: set.catalog, logger, emit });
  const fingerprintOf = (ref: ToolRef) => set.catalog.pinOf(ref).fingerprint;
  const index = createToolIndex({
    // Loaded when somebody searches, as most starts of a program are for something else.
    createSearch: async () => (await import("./toolbox/search/create-tool-search.ts")).createToolSearch(),
    loadVectors: ports.loadWordVectors,
    toolbox: keeper.current,
    fingerprintOf,
    logger,
    help: createModelHelp({
      models: ports.models,
      settings: () => settings().search,
      fingerprintOf,
      embeddings: store.embeddings,
      logger,
    }),
  });
  const agent = createAgentAccess(set, keeper.current, flight);
  const sessions = createOpenSessions({ ports, settings, emit, agent, agentKeeper: keeper, askPerson });
  const accessOf = (sessionId: string | undefined): Access => sessions.find(sessionId)?.access ?? agent;
  const approvals = createApprovalQueue();
  const grants = notingGrants(store.grants, emit);
  const sharedCallDeps = {
    ...ports,
    clock: withSharedTimer(clock),
    calls: store.calls,
    grants,
    onGrant: grants.onSaved,
    limiter: createLimiter(clock),
    rates: createRateMeter(clock),
    redact,
    emit,
    isHeard: announcer.isHeard,
    isFollowed: announcer.isFollowed,
    graceMs: CANCEL_GRACE_MS,
    maxResultCharacters: MAX_RESULT_CHARACTERS,
  };
  const entering = (attended: boolean) =>
    askPerson && {
      enterServer: ({ id, sessionId, registered: { ref } }: ApprovedCall) =>
        atWork.enter(serverKey(ref, sessionId), { id, sessionId, attended }),
    };
  const attendedDeps: CallDeps = { ...sharedCallDeps, approver: approvals, ...entering(true) };
  const unattendedDeps: CallDeps = { ...sharedCallDeps, approver: headlessApprover, ...entering(false) };
  const callDeps = ({ attended, access }: CallSettings): CallDeps => {
    const chosen = attended ? attendedDeps : unattendedDeps;
    return access === agent ? chosen : { ...chosen, grants: grantsWithin(access, chosen.grants) };
  };
  const context = (setting: CallSettings): CallContext => createCallContext(setting, settings(), store.grants);
  const gpts = createEngineGpts({ configured: () => lifecycle.config().gpts ?? [], saved: store.gpts, emit });
  const calling = { accessOf, context, callDeps };
  const tools = { search: index.search, isOffered };
  const clean = createToolCleaner(knownSecrets);

  const engine: Engine = {
    servers: createEngineServers({ ports, accessOf, set, lifecycle, refresh: keeper.refresh }),
    tools: createEngineTools({ ...tools, settings, accessOf, set, clean, redact, store, logger }),
    calls: createEngineCalls({ ...calling, log: store.calls, newId, redact, flight }),
    runs: createEngineRuns({
      ...calling,
      ...tools,
      models: ports.models,
      store,
      clock,
      newId,
      redact,
      overlayOf: sessions.find,
      findGpt: gpts.find,
      searchSettings: () => settings().search,
      watch,
      emit,
    }),
    approvals: { list: async () => approvals.list(), answer: approvals.answer },
    questions: { list: async () => questions.list(), answer: async (id, answer) => questions.answer(id, answer) },
    grants: {
      list: async () => redactJson(redact, await store.grants.list()),
      async revoke(id) {
        const removed = await store.grants.remove(id);
        if (removed) emit({ type: "grants-changed" });
        return removed;
      },
    },
    sessions: createEngineSessions({
      open: sessions,
      kept: store.sessions,
      toolboxOf: (sessionId) => accessOf(sessionId).toolbox(),
      findGpt: gpts.find,
      redact,
      emit,
    }),
    gpts: {
      list: async () => redactJson(redact, await gpts.list()),
      save: async (gpt) => redactJson(redact, await gpts.save(gpt)),
      remove: gpts.remove,
    },
    models: { list: async () => redactJson(redact, (await ports.models?.list()) ?? []) },
    secrets: createEngineSecrets({ vault: ports.vault, knownSecrets, emit }),
    events: { follow: announcer.follow, last: async () => announcer.last() },
  };
  const { start, stop, reload, recover } = lifecycle;
  return { engine, start, stop, reload, recover };
}

/** What would be denied whoever asks is neither sent to models nor found by anybody. */
function isOffered({ ref, approval }: RegisteredTool, access: Access): boolean {
  if (approval === "deny") return false;
  return entryOf(access, ref)?.definition.pin !== "block" || access.setOf(ref).catalog.pinOf(ref).kind !== "changed";
}
