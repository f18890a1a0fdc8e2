import { delay } from "../async/delay.ts";
import { createSerial } from "../async/serial.ts";
import { callsInFlight } from "../call/calls-in-flight.ts";
import { inventoryKey } from "../catalog/fingerprint.ts";
import type { ServerEvent } from "../domain/events.ts";
import type { Root } from "../domain/question.ts";
import type { Era, ServerDefinition } from "../domain/server.ts";
import type { Session, SessionOpening } from "../domain/session.ts";
import type { ToolboxSettings } from "../domain/tool.ts";
import type { Ports } from "../ports/ports.ts";
import { secretsOf } from "../secrets/redact.ts";
import type { Access } from "../servers/access.ts";
import type { AskPerson } from "../servers/ask-person.ts";
import { createServerSet } from "../servers/server-set.ts";
import type { ServerEntry } from "../servers/servers.ts";
import { openEntry } from "../servers/start-servers.ts";
import { toFileUri } from "../text/file-uri.ts";
import { createToolboxKeeper, type ToolboxKeeper } from "../toolbox/keep-toolbox.ts";
import { isReplaced } from "../toolbox/lay-over.ts";

/** What one open session has over the agent: servers of its own, gone with it (S3.8, S3.25). */
export interface Overlay {
  /** As it was opened; what was kept of it since is the store's to know. */
  session(): Session;
  readonly access: Access;
  /** Becomes what a door brought. Returns before its servers are up. */
  become(session: Session, opening: SessionOpening): Promise<void>;
  /** Names of servers that are still connecting for the first time, and in time. */
  connecting(): readonly string[];
  /** Settles when none is, or with the signal. */
  ready(signal: AbortSignal): Promise<void>;
  /** Names of servers that are not there. */
  missing(): readonly string[];
  /** Cancels what is going on and ends the servers. A second call waits for the first. */
  close(): Promise<void>;
}

export interface OverlayDeps {
  readonly ports: Ports;
  readonly settings: () => ToolboxSettings;
  readonly emit: (event: ServerEvent) => void;
  readonly agent: Access;
  readonly agentKeeper: ToolboxKeeper;
  readonly askPerson: AskPerson | undefined;
  /** What servers of sessions spoke before, by launch: asking again takes some of them seconds. */
  readonly eras: Map<string, Era>;
}

const CLOSE_WITHIN_MS = 2_000;

export function createOverlay(
  opened: Session,
  { ports, settings, emit, agent, agentKeeper, askPerson, eras }: OverlayDeps,
): Overlay {
  const { clock, logger, hasher, knownSecrets } = ports;
  const flight = callsInFlight(clock, "the session was closed");
  const inTurn = createSerial();
  const connecting = new Map<ServerEntry, Promise<unknown>>();
  const sessionId = opened.id;
  let session = opened;
  let roots: readonly Root[] | undefined;
  let unusable: readonly string[] = [];
  let isClosed = false;
  let closing: Promise<void> | undefined;

  const set = createServerSet({
    ports,
    // What a session's servers offered is not kept, and neither is anything else of them but the revision they speak.
    recall: async (_scope, key) => ({ era: eras.get(key) }),
    emit: tell,
    guard: flight.guard,
    started: Promise.resolve(),
    sessionId,
    askPerson,
    rootsFor,
    listingChanged: (definition) => {
      keeper.refresh();
      set.catalog.settle(definition);
    },
  });
  const keeper = createToolboxKeeper(ownSettings, set.enabled, {
    catalog: set.catalog,
    logger,
    emit: tell,
    lower: agentKeeper,
  });

  function tell(event: ServerEvent): void {
    if (!isClosed) emit({ ...event, sessionId });
  }

  /** Entries of the operator say nothing about servers of a session, and miss nothing of them (D.10). */
  function ownSettings(): ToolboxSettings {
    return { ...settings(), tools: [] };
  }

  function rootsFor(): (() => Promise<readonly Root[]>) | undefined {
    return roots === undefined ? undefined : async () => roots ?? [];
  }

  async function become({ servers, folders, unusable: names = [] }: SessionOpening): Promise<void> {
    if (isClosed) return;
    unusable = names;
    roots = folders?.map((path) => ({ uri: toFileUri(path) }));
    const definitions = servers.map((server) => toSessionServer(server, folders?.[0]));
    knownSecrets.add(definitions.flatMap(secretsOf));
    const changes = await set.servers.become(definitions);
    if (isClosed) return;
    if (changes.length > 0) keeper.refresh();
    for (const { kind, definition } of changes) {
      const entry = set.servers.find("session", definition.key);
      if (entry !== undefined && (kind === "added" || kind === "reconnected")) connect(entry);
    }
  }

  function connect(entry: ServerEntry): void {
    const { name, timeoutMs } = entry.definition;
    const over = new AbortController();
    const attempt = openEntry(entry, new AbortController().signal).then(async (failure) => {
      over.abort();
      if (failure === undefined) await learnEra(entry);
      // Nobody failed where the door closed the session or brought other servers meanwhile.
      const isMeant = set.servers.find("session", entry.definition.key)?.link === entry.link;
      if (failure === undefined || !isMeant || isClosed) return;
      logger.log(
        "error",
        `mcp: server '${name}' of a session failed to connect: ${knownSecrets.redact(failure.message)}`,
      );
    });
    const known = Promise.race([attempt, delay(timeoutMs, clock, over.signal)]);
    connecting.set(entry, known);
    void known.then(() => connecting.delete(entry));
  }

  async function learnEra({ definition, link }: ServerEntry): Promise<void> {
    const era = link?.status().info?.era;
    if (era !== undefined) eras.set(await inventoryKey(definition, hasher), era);
  }

  const access: Access = {
    toolbox: keeper.current,
    servers: () => [...agentServers(), ...set.servers.list().map((entry) => ({ set, entry }))],
    named(key) {
      const entry = set.servers.named(key);
      if (entry !== undefined) return { set, entry };
      return agentServers().find(({ entry: { definition } }) => definition.key === key);
    },
    setOf: (ref) => (ref.scope === "session" ? set : agent.setOf(ref)),
    async grantNameOf({ scope, server }) {
      const entry = scope === "session" ? set.servers.find(scope, server) : undefined;
      // The name is the door's to give. What was agreed to about one launch says nothing of another that is called the same.
      return entry === undefined ? server : inventoryKey(entry.definition, hasher);
    },
    flight: {
      track: (signal, call, id) => flight.track(signal, (stop) => agent.flight.track(stop, call, id)),
      guard: (link) => agent.flight.guard(flight.guard(link)),
    },
  };

  function agentServers(): ReturnType<Access["servers"]> {
    const own = set.enabled();
    return agent.servers().filter(({ entry }) => !isReplaced(entry.definition, own));
  }

  async function end(): Promise<void> {
    isClosed = true;
    const cancelled = flight.cancel();
    // A change that is under way still brings links.
    await inTurn(async () => undefined);
    await Promise.all([cancelled, set.servers.end()]);
  }

  async function close(): Promise<void> {
    const ended = end();
    const late = new AbortController();
    await Promise.race([ended, delay(CLOSE_WITHIN_MS, clock, late.signal)]);
    late.abort();
  }

  return {
    session: () => session,
    access,
    become(next, opening) {
      session = next;
      return inTurn(() => become(opening));
    },
    connecting: () => Array.from(connecting.keys(), ({ definition }) => definition.name),
    async ready(signal) {
      await settledUnless(signal, [...connecting.values()]);
    },
    missing: () => [
      ...set.servers
        .list()
        .filter(({ link }) => link?.status().status !== "connected")
        .map(({ definition }) => definition.name),
      ...unusable,
    ],
    close() {
      closing ??= close();
      return closing;
    },
  };
}

function toSessionServer(definition: ServerDefinition, cwd: string | undefined): ServerDefinition {
  const { launch } = definition;
  const placed =
    launch.transport === "stdio" && launch.cwd === undefined && cwd !== undefined ? { ...launch, cwd } : launch;
  return { ...definition, scope: "session", required: false, launch: placed };
}

function settledUnless(signal: AbortSignal, waiting: readonly Promise<unknown>[]): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      signal.removeEventListener("abort", finish);
      resolve();
    };
    signal.addEventListener("abort", finish);
    if (signal.aborted) finish();
    void Promise.all(waiting).then(finish);
  });
}
