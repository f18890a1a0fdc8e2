import type { CallPorts, CallScene } from "./call/call-tool.ts";
import { withSharedTimer } from "./call/shared-timer.ts";
import { createLimiter } from "./call/slots/limiter.ts";
import { createRateMeter } from "./call/slots/rate-meter.ts";
import type { ApprovedCall } from "./domain/call.ts";
import type { Engine } from "./domain/engine.ts";
import type { EngineConfig, EngineHost } from "./domain/engine-host.ts";
import { redactJson } from "./domain/redact.ts";
import { serverKey } from "./domain/server.ts";
import type { RegisteredTool, ToolRef } from "./domain/tool.ts";
import { createAnnouncer } from "./engine/announcer.ts";
import { createApprovalQueue } from "./engine/approval-queue.ts";
import { createModelHelp } from "./engine/ask-models.ts";
import { type CallSetting, createCallScene, entryOf } from "./engine/call-scene.ts";
import { createCallsAtWork } from "./engine/calls-at-work.ts";
import { callsInFlight } from "./engine/calls-in-flight.ts";
import { createToolCleaner } from "./engine/clean-tool.ts";
import { grantsWithin, notingGrants } from "./engine/grants.ts";
import { createToolboxKeeper } from "./engine/keep-toolbox.ts";
import { createLifecycle } from "./engine/lifecycle.ts";
import { createCalls } from "./engine/nouns/calls.ts";
import { createGpts } from "./engine/nouns/gpts.ts";
import { createRuns } from "./engine/nouns/runs.ts";
import { createSecrets } from "./engine/nouns/secrets.ts";
import { createServers } from "./engine/nouns/servers.ts";
import { createSessions } from "./engine/nouns/sessions.ts";
import { createTools } from "./engine/nouns/tools.ts";
import { createOpenSessions } from "./engine/open-sessions.ts";
import { createQuestionQueue } from "./engine/question-queue.ts";
import { createAgentReach, type Reach } from "./engine/reach.ts";
import { createServerSet } from "./engine/server-set.ts";
import { createToolIndex } from "./engine/tool-index.ts";
import { headlessApprover } from "./platform/headless-approver.ts";
import type { Ports } from "./ports/ports.ts";

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
  const asking = ports.answersQuestions === true ? questions : undefined;
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
    questions: asking,
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
    createSearch: async () => (await import("./catalog/search/create-tool-search.ts")).createToolSearch(),
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
  const agent = createAgentReach(set, keeper, flight);
  const sessions = createOpenSessions({ ports, settings, emit, agent, agentKeeper: keeper, questions: asking });
  const reachOf = (sessionId: string | undefined): Reach => sessions.find(sessionId)?.reach ?? agent;
  const approvals = createApprovalQueue();
  const grants = notingGrants(store.grants, emit);
  const sharedCallPorts = {
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
    asking && {
      enterServer: ({ id, sessionId, registered: { ref } }: ApprovedCall) =>
        atWork.enter(serverKey(ref, sessionId), { id, sessionId, attended }),
    };
  const attendedPorts: CallPorts = { ...sharedCallPorts, approver: approvals, ...entering(true) };
  const unattendedPorts: CallPorts = { ...sharedCallPorts, approver: headlessApprover, ...entering(false) };
  const callPorts = ({ attended, reach }: CallSetting): CallPorts => {
    const chosen = attended ? attendedPorts : unattendedPorts;
    return reach === agent ? chosen : { ...chosen, grants: grantsWithin(reach, chosen.grants) };
  };
  const scene = (setting: CallSetting): CallScene => createCallScene(setting, settings(), store.grants);
  const gpts = createGpts({ configured: () => lifecycle.config().gpts ?? [], saved: store.gpts, emit });
  const calling = { reachOf, scene, callPorts };
  const tools = { search: index.search, isOffered };
  const clean = createToolCleaner(knownSecrets);

  const engine: Engine = {
    servers: createServers({ ports, reachOf, set, lifecycle, refresh: keeper.refresh }),
    tools: createTools({ ...tools, settings, reachOf, set, clean, redact, store, logger }),
    calls: createCalls({ ...calling, log: store.calls, newId, redact, flight }),
    runs: createRuns({
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
    sessions: createSessions({
      open: sessions,
      kept: store.sessions,
      toolboxOf: (sessionId) => reachOf(sessionId).toolbox(),
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
    secrets: createSecrets({ vault: ports.vault, knownSecrets, emit }),
    events: { follow: announcer.follow, last: async () => announcer.last() },
  };
  const { start, stop, reload, recover } = lifecycle;
  return { engine, start, stop, reload, recover };
}

/** What would be denied whoever asks is neither sent to models nor found by anybody. */
function isOffered({ ref, approval }: RegisteredTool, reach: Reach): boolean {
  if (approval === "deny") return false;
  return entryOf(reach, ref)?.definition.pin !== "block" || reach.setOf(ref).catalog.pinOf(ref).kind !== "changed";
}
