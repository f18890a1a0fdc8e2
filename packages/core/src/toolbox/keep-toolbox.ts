import type { Catalog } from "../catalog/catalog.ts";
import type { ServerEvent } from "../domain/events.ts";
import type { ServerDefinition } from "../domain/server.ts";
import {
  createToolbox,
  EMPTY_TOOLBOX,
  type HeldName,
  type RegisteredTool,
  sameRef,
  type Toolbox,
  type ToolboxSettings,
} from "../domain/tool.ts";
import type { Advice } from "../ports/advice.ts";
import type { Clock } from "../ports/clock.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import type { Logger } from "../ports/logger.ts";
import { addAbsentTools, separateExpected, withExpectedTools } from "./expected-tools.ts";
import { createNoticeLog } from "./log-notices.ts";
import { assignNames } from "./names/assign-names.ts";
import { createNameKeeper, type NameKeeperDeps } from "./names/keep-names.ts";
import { NameIndex } from "./names/name-index.ts";
import type { HeldNames } from "./names/naming.ts";
import { overlayTools, type ServerTools } from "./overlay-tools.ts";
import { registerTools } from "./register-tools.ts";
import type { Notice, Violation } from "./registration.ts";

export interface ToolboxKeeper {
  /** The toolbox to call tools from. Its names belong to their tools from now on. */
  current(): Toolbox;
  /** The toolbox to look at. While servers start, its names may still change. */
  peek(): Toolbox;
  /** Whether the tool's name belongs to it, whatever servers come. */
  holds(tool: RegisteredTool): boolean;
  /** Has the tool, which was called by its name or sent to a model, keep that name, if it has it now. */
  use(tool: RegisteredTool): void;
  /** What the toolbox is built from: the same object until something changes. */
  tools(): ServerTools;
  /** Has the toolbox rebuilt when it is next read, without reporting: for a server listed while others still start. */
  invalidate(): void;
  /** Registers everything again from what the catalog holds now. Violations are returned, not logged. */
  rebuild(): readonly Violation[];
  /** The same while running: a violation is logged and its tool is left out, but nothing stops. */
  refresh(): void;
  /** Takes names as held that tools had before. */
  recallNames(names: readonly HeldName[]): void;
}

export interface KeeperDeps extends NameKeeperDeps {
  readonly catalog: Catalog;
  /** All servers, disabled or not: names that begin with theirs are kept for them. */
  readonly configured: () => readonly ServerDefinition[];
  readonly logger: Logger;
  readonly clock: Pick<Clock, "monotonic">;
  readonly emit: (event: ServerEvent) => void;
  /** The toolbox below this one: the agent's, for the servers of a session. */
  readonly lower?: ToolboxKeeper;
  readonly advice?: Pick<Advice, "trust" | "showTools"> | undefined;
  /** Applied to names in events: the name of a tool that is gone may be a secret by now. */
  readonly redact: Redactor;
  /** Whether a server has yet to be connected for the first time. If absent, names are given to listed tools only. */
  readonly isComing?: (definition: ServerDefinition) => boolean;
  readonly claimOf?: HeldNames["claimOf"];
}

interface Registered {
  readonly notices: readonly Notice[];
  readonly violations: readonly Violation[];
}

/** Keeps the toolbox up to date and logs what changed, each fact once. */
export function createToolboxKeeper(
  settings: () => ToolboxSettings,
  servers: () => readonly ServerDefinition[],
  deps: KeeperDeps,
): ToolboxKeeper {
  const { catalog, emit, lower, advice, redact, isComing = () => false, claimOf } = deps;
  const names = createNameKeeper(deps);
  let toolbox: Toolbox = lower?.current() ?? EMPTY_TOOLBOX;
  let tools: ServerTools = NO_TOOLS;
  /** The lower tools that the toolbox was last built over. */
  let builtOver: ServerTools | undefined;
  /** The toolbox as last reported; it may have been rebuilt since, when it was read. */
  let announced: Toolbox = toolbox;
  let outdated = lower !== undefined;
  /** The secrets that were known when the toolbox was last built: another one may take a tool out. */
  let builtKnowing = catalog.secretsVersion();
  const logNew = createNoticeLog(deps);

  function register(): Registered {
    builtKnowing = catalog.secretsVersion();
    const definitions = servers();
    const registering = definitions.map((definition) => ({
      ...catalog.known(definition),
      isComing: isComing(definition),
    }));
    const registration = registerTools(settings(), registering);
    const candidates = withExpectedTools(settings(), registering) ?? registration.candidates;
    const own = { ...registration, candidates, servers: definitions, configured: deps.configured() };
    builtOver = lower?.tools();
    const laid = builtOver === undefined ? { ...own, notices: [] } : overlayTools(builtOver, own);
    const held = names.kept();
    const named = assignNames(laid.candidates, settings(), {
      own: held,
      lower: builtOver?.names(),
      servers: laid.configured.map(({ scope, key }) => ({ scope, server: key })),
      claimOf,
    });
    const notices = [...laid.notices, ...registration.notices, ...named.notices].filter(
      ({ key }) => !builtOver?.noticeKeys.has(key),
    );
    const present = separateExpected(laid.candidates, named);
    addAbsentTools(present, settings(), registering, held);
    const serverNames = new Set(laid.configured.map(({ key }) => key));
    toolbox = createToolbox(present.tools, [...laid.hidden, ...present.hidden], { ...present, serverNames });
    tools = { ...own, noticeKeys: new Set(notices.map(({ key }) => key)), names: toNames(held, toolbox) };
    outdated = false;
    return { notices, violations: registration.violations };
  }

  function renew(): void {
    // Registered only when read: twenty servers that start in parallel cost one registration, not twenty.
    const mayLackTools = builtKnowing !== catalog.secretsVersion();
    if (!outdated && !mayLackTools && lower?.tools() === builtOver) return;
    const registered = register();
    // The lower toolbox has reported its own change, but not what the change means here.
    if (lower !== undefined) logAll(registered, "notices");
    if (mayLackTools) announceLost(registered);
  }

  /** Reports tools that were taken out because they hold a secret that has become known. */
  function announceLost(registered: Registered): void {
    const removed = [...announced.tools.keys()].filter((name) => !toolbox.tools.has(name));
    if (removed.length === 0) return;
    announced = toolbox;
    if (lower === undefined) logAll(registered, "notices");
    emit({ type: "toolbox-changed", added: [], removed: removed.map(redact) });
  }

  function logAll({ notices, violations }: Registered, violationsAs: "values" | "notices"): void {
    const noticed = violationsAs === "notices" ? violations.map(toNotice) : [];
    logNew([...notices, ...changedNotices(servers(), catalog, advice), ...noticed]);
  }

  function build(violationsAs: "values" | "notices"): readonly Violation[] {
    const before = announced;
    const registered = register();
    names.hold(toolbox);
    logAll(registered, violationsAs);
    const added = [...toolbox.tools.keys()].filter((name) => !before.tools.has(name));
    const removed = [...before.tools.keys()].filter((name) => !toolbox.tools.has(name));
    announced = toolbox;
    emit({ type: "toolbox-changed", added, removed: removed.map(redact) });
    return registered.violations;
  }

  return {
    current() {
      renew();
      names.hold(toolbox);
      return toolbox;
    },
    peek() {
      renew();
      return toolbox;
    },
    holds: ({ ref, shownName }) => names.kept().nameOf(ref) === shownName,
    use(tool) {
      if (names.isUsed(tool) || !isNamedSo(toolbox, tool)) return;
      names.use(tool);
      // A name that a session uses means the same to everyone from then on.
      lower?.use(tool);
    },
    tools() {
      renew();
      return tools;
    },
    invalidate() {
      outdated = true;
    },
    rebuild: () => build("values"),
    refresh: () => void build("notices"),
    recallNames(recalled) {
      names.recall(recalled);
      outdated = true;
    },
  };
}

function isNamedSo({ tools }: Toolbox, { shownName, ref }: RegisteredTool): boolean {
  const found = tools.get(shownName);
  return found !== undefined && sameRef(found.ref, ref);
}

const NO_TOOLS: ServerTools = {
  servers: [],
  configured: [],
  candidates: [],
  hidden: [],
  noticeKeys: new Set(),
  names: () => new NameIndex(),
};

/** All names that are held or given. Built when first read: only sessions need it. */
function toNames(held: NameIndex, { tools }: Toolbox): () => NameIndex {
  let names: NameIndex | undefined;
  return () => {
    if (names !== undefined) return names;
    names = new NameIndex();
    for (const [name, ref] of held.entries()) names.add(name, ref);
    for (const [name, { ref }] of tools) names.add(name, ref);
    return names;
  };
}

function toNotice({ server, tool, text }: Violation): Notice {
  return { key: `violation:${server}:${tool}`, level: "error", text };
}

/** One notice per server whose tools have changed since they were accepted. */
function changedNotices(
  servers: readonly ServerDefinition[],
  catalog: Catalog,
  advice: KeeperDeps["advice"],
): Notice[] {
  return servers.flatMap((definition) => {
    const { scope, key, name } = definition;
    const changed = (catalog.listingOf(definition)?.tools ?? [])
      .map((tool) => tool.name)
      .filter((tool) => catalog.pinOf({ scope, server: key, name: tool }).kind === "changed");
    if (changed.length === 0) return [];
    const text = `Tools of MCP server '${name}' changed since they were accepted: ${changed.join(", ")}. ${effectOf(definition, advice)}`;
    return [{ key: `changed:${key}:${changed.join(",")}`, level: "warn", text }];
  });
}

function effectOf({ scope, key, pin }: ServerDefinition, advice: KeeperDeps["advice"]): string {
  const effect = pin === "block" ? "They are blocked" : "They still run";
  if (scope === "session") return `${effect}; what was allowed before is asked about again`;
  return advice === undefined ? effect : `${effect}; to accept them run: ${advice.trust(key)}`;
}
