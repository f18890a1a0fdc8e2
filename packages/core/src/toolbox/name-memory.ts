import { createSerial } from "../async/serial.ts";
import type { HeldName } from "../domain/tool.ts";
import type { Logger } from "../ports/logger.ts";
import type { Names } from "../ports/store.ts";
import type { NameIndex } from "./name-index.ts";
import { isOwnName } from "./naming.ts";

/** Remembers which tool has which name from one start to the next. */
export interface NameMemory {
  recall(): Promise<readonly HeldName[]>;
  /** Notes all names that are held now. */
  note(names: NameIndex): void;
  /** Saves what was noted, once every server was tried: until then, one that is slow has had no chance. */
  save(): Promise<void>;
}

export interface NameMemoryDeps {
  readonly names: Names;
  readonly logger: Logger;
  /** Where the names are in use; undefined if they are not to be remembered. */
  readonly source: () => string | undefined;
  /** The configured servers, disabled or not. */
  readonly servers: () => readonly { readonly scope: string; readonly server: string }[];
  /** Whether every server that is to be connected was tried. */
  readonly isEveryServerTried: () => boolean;
}

export function createNameMemory(deps: NameMemoryDeps): NameMemory {
  const inTurn = createSerial();
  let noted: NameIndex | undefined;
  /** By name and tool: a name whose server was removed may have gone to another tool. */
  let saved: ReadonlySet<string> = new Set();

  async function save(): Promise<void> {
    const source = deps.source();
    const names = noted;
    if (names === undefined || source === undefined || !deps.isEveryServerTried()) return;
    // Other names are made from a server's and a tool's, and no other tool may have them anyway.
    const own = Array.from(names.entries(), ([name, ref]) => ({ name, ref })).filter(({ name, ref }) =>
      isOwnName(name, ref),
    );
    const added = own.filter((held) => !saved.has(keyOf(held)));
    noted = undefined;
    try {
      await deps.names.keep(source, { added, servers: deps.servers() });
      saved = new Set(own.map(keyOf));
    } catch (error) {
      // For the next save, unless there is something newer to save by now.
      noted ??= names;
      const detail = error instanceof Error ? error.message : String(error);
      deps.logger.log("warn", `The names of tools could not be saved for the next start: ${detail}`);
    }
  }

  return {
    async recall() {
      const source = deps.source();
      const names = source === undefined ? [] : await deps.names.load(source);
      saved = new Set(names.map(keyOf));
      return names;
    },
    note(names) {
      noted = names;
    },
    save: () => inTurn(save),
  };
}

function keyOf({ name, ref: { scope, server, name: tool } }: HeldName): string {
  return JSON.stringify([name, scope, server, tool]);
}
