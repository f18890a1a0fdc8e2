import type { HeldName, Toolbox, ToolRef } from "../domain/tool.ts";
import { NameIndex } from "./name-index.ts";
import { isOwnName, MAX_HELD_NAMES } from "./naming.ts";

/** The names that tools keep, whatever other tools come. */
export interface NameKeeper {
  /** All of them, without those of servers that the operator has removed. */
  kept(): NameIndex;
  /** Holds the names that the toolbox has given out. */
  hold(toolbox: Toolbox): void;
  recall(names: readonly HeldName[]): void;
}

export interface NameKeeperDeps {
  /** Whether the tool's server is configured, disabled or not. A name is free again when its tool's server is not. */
  readonly isConfigured: (ref: ToolRef) => boolean;
  /** Whether all names may still change, because servers are connecting for the first time. */
  readonly isSettling?: () => boolean;
  /** Called with all names that are held, after some were added or released. */
  readonly namesChanged?: (names: NameIndex) => void;
}

export function createNameKeeper({ isConfigured, isSettling = () => false, namesChanged }: NameKeeperDeps): NameKeeper {
  let held = new NameIndex();
  /** The toolbox whose names were last held. */
  let heldFrom: Toolbox | undefined;
  return {
    kept() {
      const kept = held.keep(isConfigured);
      const isReleased = kept !== held;
      held = kept;
      if (isReleased) namesChanged?.(held);
      return held;
    },
    hold(toolbox) {
      if (heldFrom === toolbox || isSettling()) return;
      heldFrom = toolbox;
      const before = held.size;
      const entries = Array.from(toolbox.tools, ([name, { ref }]) => ({ name, ref, isOwn: isOwnName(name, ref) }));
      // First those that another server could take; see MAX_HELD_NAMES.
      for (const isOwnTurn of [true, false])
        for (const { name, ref, isOwn } of entries)
          if (isOwn === isOwnTurn && held.countOf(ref) < MAX_HELD_NAMES) held.add(name, ref);
      if (held.size > before) namesChanged?.(held);
    },
    recall(names) {
      for (const { name, ref } of names) held.add(name, ref);
    },
  };
}
