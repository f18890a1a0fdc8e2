import { type Catalog, createCatalog } from "../catalog/catalog.ts";
import { LOCAL_TOOLS } from "../catalog/local-tools.ts";
import type { ServerEvent } from "../domain/events.ts";
import type { Root } from "../domain/question.ts";
import { type ServerDefinition, serverAddress, serverKey } from "../domain/server.ts";
import type { ServerView } from "../domain/server-view.ts";
import type { Toolbox } from "../domain/tool.ts";
import type { Ports } from "../ports/ports.ts";
import { redactJson } from "../secrets/redact.ts";
import type { CallTracker } from "./access.ts";
import type { AskPerson } from "./ask-person.ts";
import { createFirstConnections, type FirstConnections } from "./first-connections.ts";
import { createLocalConnector } from "./link/local-connector.ts";
import type { ServerSideOptions } from "./link/managed-link.ts";
import { createListedLink } from "./listed-link.ts";
import { createOddityCounts } from "./oddity-counts.ts";
import { createOffers, type Offers } from "./offers.ts";
import { createServers, type Recall, type ServerEntry, type Servers } from "./servers.ts";

/**
 * A group of servers and everything known about them. The agent has one set and every open session has its own: two
 * sets never share a connection, a listing or a count, even if their servers have the same names.
 */
export interface ServerSet {
  readonly catalog: Catalog;
  readonly servers: Servers;
  readonly offers: Offers;
  /** The servers that are to join while others are in use already. */
  readonly firstConnections: FirstConnections;
  /** Whether a server is enabled and was not tried yet, or is connecting for the first time. */
  isComing(definition: ServerDefinition): boolean;
  /** The servers that are not disabled. */
  enabled(): readonly ServerDefinition[];
  /** The view's tool count is taken from `toolbox`. */
  viewOf(entry: ServerEntry, toolbox: Toolbox): ServerView;
}

export interface ServerSetDeps {
  readonly ports: Ports;
  readonly recall: Recall;
  readonly emit: (event: ServerEvent) => void;
  readonly guard: CallTracker["guard"];
  /** Settles when servers that failed to connect may be tried again. */
  readonly started: Promise<void>;
  readonly listingChanged: (definition: ServerDefinition) => void;
  /** Answers a server's `roots/list`. If undefined, the roots capability is not declared to that server. */
  readonly rootsFor: (definition: ServerDefinition) => (() => Promise<readonly Root[]>) | undefined;
  /** The session the servers belong to; absent for the agent's. */
  readonly sessionId?: string;
  /** Forwards servers' questions to a person; undefined if no one can see them. */
  readonly askPerson: AskPerson | undefined;
}

export function createServerSet(setDeps: ServerSetDeps): ServerSet {
  const { ports, emit } = setDeps;
  const { clock, logger, vault, advice, knownSecrets, place, hasher } = ports;
  const { redact } = knownSecrets;
  const catalog = createCatalog(hasher, knownSecrets);
  const oddities = createOddityCounts(logger);
  const connectors = [createLocalConnector(LOCAL_TOOLS, clock), ...ports.connectors];
  const servers = createServers({
    catalog,
    recall: setDeps.recall,
    createLink: (definition, knownEra) =>
      createListedLink(definition, knownEra, {
        connectors,
        clock,
        vault,
        advice,
        knownSecrets,
        warn: (text) => logger.log("warn", text),
        catalog,
        logger,
        emit,
        openOptions,
        started: setDeps.started,
        place,
        opened: (connection) => offers.reopened(definition.key, connection),
        listingChanged: setDeps.listingChanged,
      }),
  });
  const firstConnections = createFirstConnections(clock);
  const offers = createOffers({ servers: servers.list, redact, clock, guard: setDeps.guard });

  function openOptions(definition: ServerDefinition): ServerSideOptions {
    const { sessionId, askPerson } = setDeps;
    const roots = setDeps.rootsFor(definition);
    const { scope, key: server } = definition;
    const asker = { scope, server, serverKey: serverKey({ scope, server }, sessionId) };
    return {
      onOffersChanged: (what) => emit({ type: "offers-changed", server, what }),
      onResourceUpdated: (uri) => emit({ type: "resource-updated", server, uri: redact(uri) }),
      onOddity: (oddity) => oddities.add(definition, oddity),
      ...(askPerson !== undefined && { elicit: (request, signal) => askPerson(asker, request, signal) }),
      ...(roots !== undefined && { roots }),
    };
  }

  return {
    catalog,
    servers,
    offers,
    firstConnections,
    isComing({ scope, key }) {
      const link = servers.find(scope, key)?.link;
      return link !== undefined && !link.wasTried();
    },
    enabled: () => servers.list().flatMap(({ definition, link }) => (link === undefined ? [] : [definition])),
    viewOf({ definition, link }, toolbox) {
      const { scope, key } = definition;
      const { launch, tools: _tools, description, ...governance } = definition;
      const { cause, info, failure: _failure, ...state } = link?.status() ?? { status: "disabled" as const };
      return {
        ...governance,
        ...(description !== undefined && { description: redact(description) }),
        transport: launch.transport,
        address: redact(serverAddress(definition)),
        ...state,
        ...(cause !== undefined && { cause: redact(cause) }),
        ...(info !== undefined && { info: redactJson(redact, info) }),
        toolCount: [...toolbox.tools.values()].filter(({ ref }) => ref.scope === scope && ref.server === key).length,
        nameConflicts: redactJson(redact, nameConflictsOf(definition, toolbox)),
        oddities: oddities.of(definition),
        quarantined: redactJson(redact, catalog.listingOf(definition)?.quarantined ?? []),
      };
    },
  };
}

function nameConflictsOf({ scope, key }: ServerDefinition, { conflicts }: Toolbox): ServerView["nameConflicts"] {
  return conflicts
    .filter(({ ref }) => ref.scope === scope && ref.server === key)
    .map(({ ref, wanted, holder, shownName }) => ({
      tool: ref.name,
      wanted,
      holder: { server: holder.server, tool: holder.name },
      ...(shownName !== undefined && { shownName }),
    }));
}
