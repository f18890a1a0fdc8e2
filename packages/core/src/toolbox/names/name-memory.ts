import { createSerial } from "../../async/serial.ts";
import type { HeldName } from "../../domain/tool.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Names, ServerName } from "../../ports/store.ts";
import type { NameIndex } from "./name-index.ts";
import { isOwnName } from "./naming.ts";

/** Remembers which tool has which name from one start to the next. */
export interface NameMemory {
  recall(): Promise<readonly HeldName[]>;
  /** Notes all names that are held now. */
  note(names: NameIndex): void;
  /** Notes a name that was called or sent to a model, and saves it. */
  use(name: HeldName): void;
  /**
   * Saves the names in use and, once every server was tried, whatever was noted: until then, a server that is slow has
   * had no chance. Forgets those of servers that were removed from the configuration of this process; others may be in
   * use by one with a newer configuration.
   */
  save(): Promise<void>;
}

export interface NameMemoryDeps {
  readonly names: Names;
  readonly logger: Logger;
  /** Where the names are in use; undefined if they are not to be remembered. */
  readonly source: () => string | undefined;
  /** The configured servers, disabled or not. */
  readonly servers: () => readonly ServerName[];
  /** Whether every server that is to be connected was tried. */
  readonly isEveryServerTried: () => boolean;
}

export function createNameMemory(deps: NameMemoryDeps): NameMemory {
  const inTurn = createSerial();
  let noted: NameIndex | undefined;
  /** By name and tool: a name whose server was removed may have gone to another tool. */
  const saved = new Map<string, HeldName>();
  /** Names in use that are not saved, in the same way. */
  const used = new Map<string, HeldName>();
  /** The servers that were configured or had names when this process last looked. */
  let before = new Map<string, ServerName>();

  async function save(): Promise<void> {
    const source = deps.source();
    if (source === undefined) return;
    const servers = serversByKey(deps.servers());
    const removed = [...before].flatMap(([key, server]) => (servers.has(key) ? [] : server));
    const isConfigured = ({ ref }: HeldName) => servers.has(serverKeyOf(ref));
    const names = deps.isEveryServerTried() ? noted : undefined;
    const held = names === undefined ? [] : Array.from(names.entries(), ([name, ref]) => ({ name, ref }));
    // Other names are made from a server's and a tool's, and no other tool may have them anyway.
    const wanted = [...held.filter(({ name, ref }) => isOwnName(name, ref)), ...used.values()].filter(isConfigured);
    const added = [...new Map(wanted.map((one) => [keyOf(one), one]))].filter(([key]) => !saved.has(key));
    if (names !== undefined) noted = undefined;
    if (added.length + removed.length === 0) return;
    try {
      await deps.names.keep(source, { added: added.map(([, one]) => one), removed });
    } catch (error) {
      // For the next save, unless there is something newer to save by now.
      noted ??= names;
      const detail = error instanceof Error ? error.message : String(error);
      deps.logger.log("warn", `The names of tools could not be saved for the next start: ${detail}`);
      return;
    }
    before = servers;
    for (const [key, one] of saved) if (!isConfigured(one)) saved.delete(key);
    for (const [key, one] of added) saved.set(key, one);
    for (const key of used.keys()) if (saved.has(key)) used.delete(key);
  }

  return {
    async recall() {
      const source = deps.source();
      const names = source === undefined ? [] : await deps.names.load(source);
      for (const name of names) saved.set(keyOf(name), name);
      before = serversByKey([...deps.servers(), ...names.map(({ ref }) => ref)]);
      return names;
    },
    note(names) {
      noted = names;
    },
    use(name) {
      const key = keyOf(name);
      if (saved.has(key) || used.has(key) || !isOwnName(name.name, name.ref)) return;
      used.set(key, name);
      void inTurn(save);
    },
    save: () => inTurn(save),
  };
}

function serversByKey(servers: readonly ServerName[]): Map<string, ServerName> {
  return new Map(servers.map(({ scope, server }) => [serverKeyOf({ scope, server }), { scope, server }]));
}

function serverKeyOf({ scope, server }: ServerName): string {
  return `${scope}\0${server}`;
}

function keyOf({ name, ref: { scope, server, name: tool } }: HeldName): string {
  return JSON.stringify([name, scope, server, tool]);
}
