import type { Catalog } from "../catalog/catalog.ts";
import type { ServerEvent } from "../domain/events.ts";
import type { ServerDefinition } from "../domain/server.ts";
import { createToolbox, EMPTY_TOOLBOX, type Toolbox, type ToolboxSettings } from "../domain/tool.ts";
import type { Logger } from "../ports/logger.ts";
import { assignNames } from "./assign-names.ts";
import { layOver, type ServerTools } from "./lay-over.ts";
import { registerTools } from "./register-tools.ts";
import type { Notice, Violation } from "./registration.ts";

export interface ToolboxKeeper {
  current(): Toolbox;
  /** What it is made of: the same object until something changes. */
  tools(): ServerTools;
  /** A server was listed while others are still starting: its tools count from now on, and are reported with the rest. */
  joined(): void;
  /** Registers everything again from what the catalog holds now. Violations are returned, not logged. */
  rebuild(): readonly Violation[];
  /** The same while running: a violation is logged and the tool stays out, but nothing stops (D.18, Overrides). */
  refresh(): void;
}

export interface KeeperDeps {
  readonly catalog: Catalog;
  readonly logger: Logger;
  readonly emit: (event: ServerEvent) => void;
  /** The toolbox these servers lie over: the agent's, for those of a session. */
  readonly lower?: ToolboxKeeper;
}

interface Registered {
  readonly notices: readonly Notice[];
  readonly violations: readonly Violation[];
}

/** Holds the toolbox and says what changed, each fact once. */
export function createToolboxKeeper(
  settings: () => ToolboxSettings,
  servers: () => readonly ServerDefinition[],
  { catalog, logger, emit, lower }: KeeperDeps,
): ToolboxKeeper {
  let toolbox: Toolbox = lower?.current() ?? EMPTY_TOOLBOX;
  let tools: ServerTools = NO_TOOLS;
  /** What they were made over. */
  let seen: ServerTools | undefined;
  /** As it was when last told; somebody may have looked since. */
  let announced: Toolbox = toolbox;
  let outdated = lower !== undefined;
  let said: ReadonlySet<string> = new Set();

  function say(notices: readonly Notice[]): void {
    for (const { key, level, text } of notices) if (!said.has(key)) logger.log(level, text);
    said = new Set(notices.map(({ key }) => key));
  }

  function register(): Registered {
    const definitions = servers();
    const registration = registerTools(
      settings(),
      definitions.map((definition) => ({
        definition,
        listing: catalog.listingOf(definition),
        knownNames: catalog.knownNames(definition),
      })),
    );
    const own = { ...registration, servers: definitions };
    seen = lower?.tools();
    const laid = seen === undefined ? { ...own, notices: [] } : layOver(seen, own);
    const named = assignNames(laid.candidates, settings());
    const notices = [...laid.notices, ...registration.notices, ...named.notices].filter(
      ({ key }) => !seen?.noticeKeys.has(key),
    );
    toolbox = createToolbox(named.tools, [...laid.hidden, ...named.hidden]);
    tools = { ...own, noticeKeys: new Set(notices.map(({ key }) => key)) };
    outdated = false;
    return { notices, violations: registration.violations };
  }

  function renew(): void {
    // Registered when somebody looks: twenty servers that start side by side cost one registration, not twenty.
    if (!outdated && lower?.tools() === seen) return;
    const registered = register();
    // What changed below was told there; what it means up here was not.
    if (lower !== undefined) sayAll(registered, "notices");
  }

  function sayAll({ notices, violations }: Registered, violationsAs: "values" | "notices"): void {
    const noticed = violationsAs === "notices" ? violations.map(toNotice) : [];
    say([...notices, ...changedNotices(servers(), catalog), ...noticed]);
  }

  function build(violationsAs: "values" | "notices"): readonly Violation[] {
    const before = announced;
    const registered = register();
    sayAll(registered, violationsAs);
    const added = [...toolbox.tools.keys()].filter((name) => !before.tools.has(name));
    const removed = [...before.tools.keys()].filter((name) => !toolbox.tools.has(name));
    announced = toolbox;
    emit({ type: "toolbox-changed", added, removed });
    return registered.violations;
  }

  return {
    current() {
      renew();
      return toolbox;
    },
    tools() {
      renew();
      return tools;
    },
    joined() {
      outdated = true;
    },
    rebuild: () => build("values"),
    refresh: () => void build("notices"),
  };
}

const NO_TOOLS: ServerTools = { servers: [], candidates: [], hidden: [], noticeKeys: new Set() };

function toNotice({ server, tool, text }: Violation): Notice {
  return { key: `violation:${server}:${tool}`, level: "error", text };
}

/** One line per server whose tools are not what they were when first used. */
function changedNotices(servers: readonly ServerDefinition[], catalog: Catalog): Notice[] {
  return servers.flatMap((definition) => {
    const { scope, key, name } = definition;
    const changed = (catalog.listingOf(definition)?.tools ?? [])
      .map((tool) => tool.name)
      .filter((tool) => catalog.pinOf({ scope, server: key, name: tool }).kind === "changed");
    if (changed.length === 0) return [];
    const text = `Tools of MCP server '${name}' changed since they were first used: ${changed.join(", ")}. ${effectOf(definition)}`;
    return [{ key: `changed:${key}:${changed.join(",")}`, level: "warn", text }];
  });
}

function effectOf({ scope, key, pin }: ServerDefinition): string {
  const effect = pin === "block" ? "They are blocked" : "They still run";
  if (scope === "session") return `${effect}; what was allowed before is asked about again`;
  return `${effect}; to accept them run: tacklebox trust ${key}`;
}
