import { createSerial } from "../async/serial.ts";
import { launchKey } from "../catalog/fingerprint.ts";
import type { ConnectionError } from "../domain/connection.ts";
import type { ServerEvent } from "../domain/events.ts";
import { startedIn } from "../domain/launch.ts";
import type { Root } from "../domain/question.ts";
import type { Era, ServerDefinition } from "../domain/server.ts";
import type { SessionOpening } from "../domain/session.ts";
import type { ToolboxSettings, ToolRef } from "../domain/tool.ts";
import type { Ports } from "../ports/ports.ts";
import { secretsOf } from "../secrets/find-secrets.ts";
import type { Access, CallTracker } from "../servers/access.ts";
import type { AskPerson } from "../servers/ask-person.ts";
import type { FirstConnections } from "../servers/first-connections.ts";
import { createServerSet, type ServerSet } from "../servers/server-set.ts";
import type { ServerEntry } from "../servers/servers.ts";
import { toFileUri } from "../text/file-uri.ts";
import { createToolboxKeeper, type ToolboxKeeper } from "../toolbox/keep-toolbox.ts";

/** The servers that belong to one session. */
export interface SessionServers extends Pick<FirstConnections, "ready"> {
  readonly set: ServerSet;
  /** The names of servers that are still connecting for the first time and are within their timeout. */
  connecting(): readonly string[];
  /** The agent's tools, with the tools of these servers laid over them. */
  readonly keeper: Pick<ToolboxKeeper, "current" | "peek" | "holds" | "use">;
  /** Applies the servers that a door opened the session with, one change after another. Resolves before they are up. */
  update(opening: SessionOpening): Promise<void>;
  /** The names of servers that are not connected or cannot be used. */
  missing(): readonly string[];
  /** Ends all servers; no event is emitted from now on. Resolves when all have ended. */
  end(): Promise<void>;
}

export interface SessionServersDeps {
  readonly ports: Ports;
  readonly settings: () => ToolboxSettings;
  readonly emit: (event: ServerEvent) => void;
  readonly agent: Access;
  readonly agentKeeper: ToolboxKeeper;
  readonly askPerson: AskPerson | undefined;
  readonly guard: CallTracker["guard"];
  /** The MCP era that session servers spoke before, by launch: finding out again takes some of them seconds. */
  readonly eras: Map<string, Era>;
}

export function createSessionServers(
  sessionId: string,
  { ports, settings, emit, agent, agentKeeper, askPerson, guard, eras }: SessionServersDeps,
): SessionServers {
  const { logger, hasher, knownSecrets } = ports;
  const inTurn = createSerial();
  let roots: readonly Root[] | undefined;
  let unusable: readonly string[] = [];
  let isEnded = false;

  const set = createServerSet({
    ports,
    // Nothing is stored about a session's servers; only the MCP era they speak is remembered in memory.
    recall: async (definition) => ({ era: eras.get(await launchKey(definition, hasher)) }),
    emit: emitForSession,
    guard,
    started: Promise.resolve(),
    sessionId,
    askPerson,
    rootsFor: () => (roots === undefined ? undefined : async () => roots ?? []),
    listingChanged: (definition) => {
      keeper.refresh();
      set.catalog.markKnown(definition);
    },
  });
  const keeper = createToolboxKeeper(ownSettings, set.enabled, {
    catalog: set.catalog,
    configured: () => set.servers.list().map(({ definition }) => definition),
    logger,
    clock: ports.clock,
    emit: emitForSession,
    lower: agentKeeper,
    redact: knownSecrets.redact,
    isConfigured,
    // Until then the session's tools may take names of the agent's.
    isSettling: () => connecting().length > 0,
  });
  const { connect, connecting, ready } = set.firstConnections;

  function emitForSession(event: ServerEvent): void {
    if (!isEnded) emit({ ...event, sessionId });
  }

  function isConfigured(ref: ToolRef): boolean {
    const { servers } = ref.scope === "session" ? set : agent.setOf(ref);
    return servers.find(ref.scope, ref.server) !== undefined;
  }

  /** The operator's tool entries neither configure a session's servers nor count as missing from them. */
  function ownSettings(): ToolboxSettings {
    return { ...settings(), tools: [] };
  }

  async function update({ servers, folders, unusable: names = [] }: SessionOpening): Promise<void> {
    if (isEnded) return;
    unusable = names;
    roots = folders?.map((path) => ({ uri: toFileUri(path) }));
    const definitions = servers.map((server) => toSessionServer(server, folders?.[0]));
    knownSecrets.add(definitions.flatMap(secretsOf));
    const changes = await set.servers.update(definitions);
    if (isEnded) return;
    for (const { kind, definition } of changes) {
      const entry = set.servers.find("session", definition.key);
      if (entry !== undefined && (kind === "added" || kind === "reconnected"))
        connect(entry, connectionEnded, definition.timeoutMs);
    }
    if (changes.length > 0) keeper.refresh();
  }

  function connectionEnded(entry: ServerEntry, failure: ConnectionError | undefined): Promise<void> | void {
    return failure === undefined ? learnEra(entry) : logFailure(entry, failure.message);
  }

  async function learnEra({ definition, link }: ServerEntry): Promise<void> {
    const era = link?.status().info?.era;
    if (era !== undefined) eras.set(await launchKey(definition, hasher), era);
  }

  function logFailure({ definition: { key, name }, link }: ServerEntry, cause: string): void {
    // It is no failure if the door has closed the session or replaced the server in the meantime.
    if (isEnded || set.servers.find("session", key)?.link !== link) return;
    logger.log("error", `mcp: server '${name}' of a session failed to connect: ${knownSecrets.redact(cause)}`);
  }

  return {
    set,
    keeper,
    update: (opening) => inTurn(() => update(opening)),
    connecting: () => connecting().map(({ entry }) => entry.definition.name),
    ready,
    missing: () => [...namesOfDisconnected(set.servers.list()), ...unusable],
    async end() {
      isEnded = true;
      // A change that is under way may still add links.
      await inTurn(async () => undefined);
      await set.servers.end();
    },
  };
}

function namesOfDisconnected(entries: readonly ServerEntry[]): readonly string[] {
  return entries.filter(({ link }) => link?.status().status !== "connected").map(({ definition }) => definition.name);
}

function toSessionServer(definition: ServerDefinition, cwd: string | undefined): ServerDefinition {
  const { launch } = definition;
  const placed = cwd === undefined ? launch : startedIn(launch, cwd);
  return { ...definition, scope: "session", required: false, launch: placed };
}
