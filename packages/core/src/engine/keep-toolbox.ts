import { assignNames } from "../catalog/assign-names.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { registerTools } from "../config/register-tools.ts";
import type { EngineEvent } from "../domain/events.ts";
import type { Notice, Violation } from "../domain/registration.ts";
import type { ServerDefinition } from "../domain/server.ts";
import { EMPTY_TOOLBOX, type Toolbox, type ToolboxSettings } from "../domain/tool.ts";
import type { Logger } from "../ports/logger.ts";

export interface ToolboxKeeper {
  current(): Toolbox;
  /** Registers everything again from what the catalog holds now. Violations are returned, not logged. */
  rebuild(): readonly Violation[];
  /** The same while running: a violation is logged and the tool stays out, but nothing stops (D.18, Overrides). */
  refresh(): void;
}

export interface KeeperPorts {
  readonly catalog: Catalog;
  readonly logger: Logger;
  readonly emit: (event: EngineEvent) => void;
}

/** Holds the toolbox and says what changed, each fact once. */
export function createToolboxKeeper(
  settings: () => ToolboxSettings,
  servers: () => readonly ServerDefinition[],
  { catalog, logger, emit }: KeeperPorts,
): ToolboxKeeper {
  let toolbox: Toolbox = EMPTY_TOOLBOX;
  let said: ReadonlySet<string> = new Set();

  function say(notices: readonly Notice[]): void {
    for (const { key, level, text } of notices) if (!said.has(key)) logger.log(level, text);
    said = new Set(notices.map(({ key }) => key));
  }

  function build(violationsAs: "values" | "notices"): readonly Violation[] {
    const registration = registerTools(
      settings(),
      servers().map((definition) => ({
        definition,
        listing: catalog.listingOf(definition),
        knownNames: catalog.knownNames(definition),
      })),
    );
    const named = assignNames(registration.candidates, settings());
    const before = toolbox;
    toolbox = {
      tools: named.toolbox.tools,
      hidden: [...registration.hidden, ...named.toolbox.hidden],
    };
    const violations = violationsAs === "notices" ? registration.violations.map(toNotice) : [];
    say([...registration.notices, ...named.notices, ...changedNotices(servers(), catalog), ...violations]);
    const added = [...toolbox.tools.keys()].filter((name) => !before.tools.has(name));
    const removed = [...before.tools.keys()].filter((name) => !toolbox.tools.has(name));
    emit({ type: "toolbox-changed", added, removed });
    return registration.violations;
  }

  return {
    current: () => toolbox,
    rebuild: () => build("values"),
    refresh: () => void build("notices"),
  };
}

function toNotice({ server, tool, text }: Violation): Notice {
  return { key: `violation:${server}:${tool}`, level: "error", text };
}

/** One line per server whose tools are not what they were when first used. */
function changedNotices(servers: readonly ServerDefinition[], catalog: Catalog): Notice[] {
  return servers.flatMap((definition) => {
    const { scope, key, name, pin } = definition;
    const changed = (catalog.listingOf(definition)?.tools ?? [])
      .map((tool) => tool.name)
      .filter((tool) => catalog.pinOf({ scope, server: key, name: tool }).kind === "changed");
    if (changed.length === 0) return [];
    const effect = pin === "block" ? "They are blocked" : "They still run";
    const text = `Tools of MCP server '${name}' changed since they were first used: ${changed.join(", ")}. ${effect}; to accept them run: tacklebox trust ${key}`;
    return [{ key: `changed:${key}:${changed.join(",")}`, level: "warn", text }];
  });
}
