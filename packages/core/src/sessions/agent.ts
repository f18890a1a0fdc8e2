import type { CallsInFlight } from "../call/calls-in-flight.ts";
import type { ServerEvent } from "../domain/events.ts";
import type { ToolboxSettings } from "../domain/tool.ts";
import type { Ports } from "../ports/ports.ts";
import { type Access, createAgentAccess } from "../servers/access.ts";
import type { AskPerson } from "../servers/ask-person.ts";
import { createInventories, type Inventories } from "../servers/inventories.ts";
import { createServerSet, type ServerSet } from "../servers/server-set.ts";
import { createToolboxKeeper, type ToolboxKeeper } from "../toolbox/keep-toolbox.ts";
import { createNameClaims } from "../toolbox/names/name-claims.ts";
import { createNameMemory, type NameMemory } from "../toolbox/names/name-memory.ts";

/** The configured servers and their tools: what every caller can use, whatever servers its session adds. */
export interface Agent {
  readonly set: ServerSet;
  readonly keeper: ToolboxKeeper;
  readonly names: NameMemory;
  readonly inventories: Inventories;
  readonly access: Access;
}

export interface AgentDeps {
  readonly ports: Ports;
  readonly emit: (event: ServerEvent) => void;
  readonly flight: CallsInFlight;
  readonly settings: () => ToolboxSettings;
  readonly lifecycle: { isRunning(): boolean; readonly started: Promise<void> };
  readonly askPerson: AskPerson | undefined;
  /** Where the configuration comes from; see EngineConfig. */
  readonly source: string | undefined;
}

export function createAgent({ ports, emit, flight, settings, lifecycle, askPerson, source }: AgentDeps): Agent {
  const { logger, store, advice, hasher } = ports;
  const inventories = createInventories({ store, hasher, logger, source });
  const set = createServerSet({
    ports,
    recall: inventories.recall,
    emit,
    guard: flight.guard,
    started: lifecycle.started,
    rootsFor: () => undefined,
    askPerson,
    listingChanged(definition) {
      if (!lifecycle.isRunning()) return keeper.invalidate();
      keeper.refresh();
      set.catalog.markKnown(definition);
      void names.save();
    },
  });
  const names = createNameMemory({
    names: store.names,
    logger,
    source: () => (settings().keepsNames ? source : undefined),
    servers: () => set.servers.list().map(({ definition: { scope, key } }) => ({ scope, server: key })),
    isEveryServerTried: () => set.servers.list().every(({ link }) => link === undefined || link.wasTried()),
  });
  const claims = createNameClaims(set, settings);
  const keeper = createToolboxKeeper(settings, set.enabled, {
    catalog: set.catalog,
    configured: () => set.servers.list().map(({ definition }) => definition),
    logger,
    clock: ports.clock,
    emit,
    advice,
    redact: ports.knownSecrets.redact,
    isComing: set.isComing,
    isConfigured: ({ scope, server }) => set.servers.find(scope, server) !== undefined,
    ...claims,
    namesChanged: names.note,
    nameUsed: names.use,
  });
  const { current, peek, holds, use } = keeper;
  const { isBeyondReach } = claims;
  return {
    set,
    keeper,
    names,
    inventories,
    access: createAgentAccess(set, { current, peek, holds, use, isBeyondReach }, flight),
  };
}
