import type { HeldName, RegisteredTool, Toolbox, ToolRef } from "../../domain/tool.ts";
import { NameIndex } from "./name-index.ts";
import { isOwnName, MAX_HELD_NAMES } from "./naming.ts";

/** The names that tools keep, whatever other tools come. */
export interface NameKeeper {
  /** All of them, without those of servers that the operator has removed. */
  kept(): NameIndex;
  /** Holds the names that the toolbox has given out; while servers are coming, only those that none of them can get. */
  hold(toolbox: Toolbox): void;
  /** Holds the name of a tool that was called by it or sent to a model: it means this tool, whatever is still coming. */
  use(tool: RegisteredTool): void;
  /** Whether that was done before. Every call asks. */
  isUsed(tool: RegisteredTool): boolean;
  recall(names: readonly HeldName[]): void;
}

export interface NameKeeperDeps {
  /** Whether the tool's server is configured, disabled or not. A name is free again when its tool's server is not. */
  readonly isConfigured: (ref: ToolRef) => boolean;
  /** Whether all names may still change, because servers are connecting for the first time. */
  readonly isSettling?: () => boolean;
  /** Whether none of these servers can get the tool's name. */
  readonly isBeyondReach?: (ref: ToolRef) => boolean;
  /** Called with all names that are held, after some were added or released. */
  readonly namesChanged?: (names: NameIndex) => void;
  /** Called when a name is used for the first time. */
  readonly nameUsed?: (held: HeldName) => void;
}

export function createNameKeeper({
  isConfigured,
  isSettling = () => false,
  isBeyondReach = () => false,
  namesChanged,
  nameUsed,
}: NameKeeperDeps): NameKeeper {
  let held = new NameIndex();
  /** The toolbox whose names were last held. */
  let heldFrom: Toolbox | undefined;
  /** The toolbox of which only the names beyond reach were last held. */
  let partlyHeldFrom: Toolbox | undefined;
  const used = new WeakSet<RegisteredTool>();
  return {
    kept() {
      const kept = held.keep(isConfigured);
      const isReleased = kept !== held;
      held = kept;
      if (isReleased) namesChanged?.(held);
      return held;
    },
    hold(toolbox) {
      if (heldFrom === toolbox) return;
      const isPart = isSettling();
      if (isPart && partlyHeldFrom === toolbox) return;
      if (isPart) partlyHeldFrom = toolbox;
      else heldFrom = toolbox;
      const before = held.size;
      const given = Array.from(toolbox.tools, ([name, { ref }]) => ({ name, ref, isOwn: isOwnName(name, ref) }));
      const entries = isPart ? given.filter(({ ref }) => isBeyondReach(ref)) : given;
      // First those that another server could take; see MAX_HELD_NAMES.
      for (const isOwnTurn of [true, false])
        for (const { name, ref, isOwn } of entries)
          if (isOwn === isOwnTurn && held.countOf(ref) < MAX_HELD_NAMES) held.add(name, ref);
      if (held.size > before) namesChanged?.(held);
    },
    isUsed: (tool) => used.has(tool),
    use(tool) {
      used.add(tool);
      const { shownName: name, ref } = tool;
      const isAdded = held.countOf(ref) < MAX_HELD_NAMES && held.add(name, ref);
      if (isAdded) namesChanged?.(held);
      if (held.nameOf(ref) === name) nameUsed?.({ name, ref });
    },
    recall(names) {
      for (const { name, ref } of names) held.add(name, ref);
    },
  };
}
