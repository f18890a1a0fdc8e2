import { createSerialPerKey } from "./async/serial.ts";
import { createApprovalQueue } from "./call/approvals/approval-queue.ts";
import { createCallsAtWork } from "./call/approvals/calls-at-work.ts";
import { createEngineGrants } from "./call/approvals/engine-grants.ts";
import { foreseeApprovals } from "./call/approvals/foresee-approval.ts";
import { observableGrants } from "./call/approvals/grants.ts";
import { createQuestionQueue } from "./call/approvals/question-queue.ts";
import { type CallSettings, createCallContext } from "./call/call-context.ts";
import { createCallDeps } from "./call/call-deps.ts";
import type { CallContext } from "./call/call-tool.ts";
import { createCallsInFlight } from "./call/calls-in-flight.ts";
import { createEngineCalls } from "./call/engine-calls.ts";
import { unfailingLogger } from "./call/unfailing.ts";
import { waitForNamed } from "./call/wait-for-servers.ts";
import { DEFAULT_CALL_LOG } from "./domain/limits.ts";
import type { SearchSettings } from "./domain/search-settings.ts";
import type { Toolbox, ToolRef } from "./domain/tool.ts";
import type { Engine } from "./engine.ts";
import type { EngineConfig, EngineHost } from "./engine-host.ts";
import { createAnnouncer } from "./events/announcer.ts";
import { createLifecycle } from "./lifecycle/lifecycle.ts";
import type { Ports } from "./ports/ports.ts";
import type { PlaceOf } from "./ports/setting-place.ts";
import { createEngineGpts, createKnownGpts } from "./runs/engine-gpts.ts";
import { createEngineRuns } from "./runs/engine-runs.ts";
import { createEngineSecrets } from "./secrets/engine-secrets.ts";
import { redactJson } from "./secrets/redact.ts";
import type { Access } from "./servers/access.ts";
import { createEngineServers } from "./servers/engine-servers.ts";
import { createAgent } from "./sessions/agent.ts";
import { createEngineSessions } from "./sessions/engine-sessions.ts";
import { createOpenSessions } from "./sessions/open-sessions.ts";
import { createEngineTools } from "./toolbox/engine-tools.ts";
import { isOffered } from "./toolbox/is-offered.ts";
import { createToolRedactor } from "./toolbox/redact-tool.ts";
import { createModelHelp } from "./toolbox/search/ask-models.ts";
import { createToolIndex, type ToolIndex } from "./toolbox/search/tool-index.ts";

/** Creates the engine of this process. It only puts the parts together and has no rules of its own. */
export function createEngine(initial: EngineConfig, given: Ports): EngineHost {
  const ports: Ports = { ...given, logger: unfailingLogger(given.logger) };
  const { clock, logger, store, knownSecrets, newId } = ports;
  const { redact } = knownSecrets;
  const announcer = createAnnouncer(clock);
  const { emit, watch } = announcer;
  const flight = createCallsInFlight(clock);
  const atWork = createCallsAtWork();
  const questions = createQuestionQueue({ atWork, clock, newId, redact, emit });
  const askPerson = ports.answersQuestions === true ? questions.ask : undefined;
  const lifecycle = createLifecycle(initial, {
    ports,
    emit,
    flight,
    agent: () => agent,
    closeSessions: () => sessions.closeAll(),
  });
  const settings = () => lifecycle.config().toolbox;
  const agent = createAgent({ ports, emit, flight, settings, lifecycle, askPerson, source: initial.source });
  const { set, keeper } = agent;
  const fingerprintOf = (ref: ToolRef) => set.catalog.pinOf(ref).fingerprint;
  const searchSettings = () => settings().search;
  const index = createIndex({ ports, toolbox: keeper.current, fingerprintOf, searchSettings });
  const inTurn = createSerialPerKey();
  const overAgent = { agent: agent.access, agentKeeper: keeper };
  const sessions = createOpenSessions({ ports, settings, emit, ...overAgent, askPerson, inTurn });
  const accessOf = (sessionId: string | undefined): Access => sessions.find(sessionId)?.access ?? agent.access;
  const approvals = createApprovalQueue();
  const keepResultBytes = () => (lifecycle.config().calls ?? DEFAULT_CALL_LOG).keepResultBytes;
  const callDeps = createCallDeps({
    ports,
    ...announcer,
    approvals,
    grants: observableGrants(store.grants, emit),
    atWork,
    canAsk: askPerson !== undefined,
    agent: agent.access,
    keepResultBytes,
  });
  const placeOf: PlaceOf = (setting) => lifecycle.config().placeOf?.(setting);
  const knowledge = { placeOf, advice: ports.advice };
  const context = (setting: CallSettings): CallContext =>
    createCallContext(setting, settings(), store.grants, knowledge);
  const gpts = createKnownGpts({ configured: () => lifecycle.config().gpts ?? [], saved: store.gpts, emit });
  const calling = { accessOf, context, callDeps, keepResultBytes, redact };
  const tools = { search: index.search, isOffered };
  const redactTool = createToolRedactor(knownSecrets);

  const engine: Engine = {
    servers: createEngineServers({ ports, accessOf, set, lifecycle, refresh: keeper.refresh }),
    tools: createEngineTools({
      ...tools,
      settings,
      accessOf,
      set,
      waitForNamed,
      redactTool,
      redact,
      inventories: agent.inventories,
      ...knowledge,
      approvalsFor: (access, run) => foreseeApprovals(access, run, { grants: store.grants, findGpt: gpts.find }),
    }),
    calls: createEngineCalls({ ...calling, log: store.calls, newId, flight }),
    runs: createEngineRuns({
      ...calling,
      ...tools,
      models: ports.models,
      store,
      clock,
      newId,
      logger,
      secretsVersion: knownSecrets.version,
      overlayOf: sessions.find,
      findGpt: gpts.find,
      searchSettings,
      watch,
      emit,
      inTurn,
    }),
    approvals: { list: async () => approvals.list(), answer: approvals.answer },
    questions: { list: async () => questions.list(), answer: async (id, answer) => questions.answer(id, answer) },
    grants: createEngineGrants({ grants: store.grants, redact, emit }),
    sessions: createEngineSessions({
      open: sessions,
      kept: store.sessions,
      toolboxOf: (sessionId) => accessOf(sessionId).toolbox(),
      findGpt: gpts.find,
      redact,
      emit,
      inTurn,
    }),
    gpts: createEngineGpts(gpts, redact),
    models: { list: async () => redactJson(redact, (await ports.models?.list()) ?? []) },
    secrets: createEngineSecrets({ vault: ports.vault, knownSecrets, emit }),
    events: { follow: announcer.follow, last: async () => announcer.last() },
  };
  const { start, joined, stop, reload, recover } = lifecycle;
  return { engine, start, joined, stop, reload, recover };
}

interface IndexParts {
  readonly ports: Ports;
  readonly toolbox: () => Toolbox;
  readonly fingerprintOf: (ref: ToolRef) => string;
  readonly searchSettings: () => SearchSettings;
}

function createIndex({ ports, toolbox, fingerprintOf, searchSettings }: IndexParts): ToolIndex {
  const { models, store, logger } = ports;
  return createToolIndex({
    // Loaded with the first search: most programs start for something else.
    createSearch: async () => (await import("./toolbox/search/ranking/create-tool-search.ts")).createToolSearch(),
    loadVectors: ports.loadWordVectors,
    toolbox,
    fingerprintOf,
    logger,
    help: createModelHelp({ models, settings: searchSettings, fingerprintOf, embeddings: store.embeddings, logger }),
  });
}
