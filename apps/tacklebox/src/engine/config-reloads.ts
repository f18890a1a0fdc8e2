import type { EngineHost, Logger } from "@tacklebox/core";
import { placeOf } from "../config-file/agreement/file-place.ts";
import { recordFile } from "../config-file/agreement/records.ts";
import type { FoundFile } from "../config-file/find-config.ts";
import { loadFile } from "../config-file/load-config.ts";
import { type ConfigWatch, watchConfig } from "../config-file/watch-config.ts";
import type { Io } from "../io.ts";

/** What came of reading the config file again. */
export type ConfigReload =
  /** `changes` has a line for people per thing that changed, `problems` what could not be done. */
  | {
      readonly kind: "reloaded";
      readonly file: string;
      readonly changes: readonly string[];
      readonly problems: readonly string[];
    }
  /** Nothing was changed. The messages say why, and what to do. */
  | { readonly kind: "refused"; readonly level: "warn" | "error"; readonly messages: readonly string[] }
  | { readonly kind: "no-file" };

/** Called after a reload that nobody asked for, if it changed anything. */
export type OnReload = (changes: readonly string[]) => void;

/** Applies a config file again while an engine runs, under the same rules of trust as at its start. It asks nobody. */
export interface ConfigReloads {
  /** Reads the file now. */
  reload(): Promise<ConfigReload>;
  /** Reloads whenever the file changes, once `started` has resolved. Problems are logged. */
  follow(started: Promise<void>, onReload: OnReload): Promise<void>;
  close(): Promise<void>;
}

export interface ReloadDeps {
  readonly host: Pick<EngineHost, "reload">;
  /** Undefined without a config file. */
  readonly source: FoundFile | undefined;
  readonly logger: Logger;
  readonly io: Io;
}

export function createConfigReloads({ host, source, logger, io }: ReloadDeps): ConfigReloads {
  const closing = new AbortController();
  const closed = new Promise<void>((resolve) => {
    closing.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  let watch: ConfigWatch | undefined;
  let last: Promise<unknown> = Promise.resolve();

  /** One after the other, so that what was read first is never applied last. */
  function reload(): Promise<ConfigReload> {
    const done = last.then(() => reloadOnce(host, source, logger, io));
    last = done.catch(() => undefined);
    return done;
  }

  return {
    reload,
    async follow(started, onReload) {
      if (source === undefined) return;
      const reloadAndTell = async () => {
        await Promise.race([started, closed]);
        if (closing.signal.aborted) return;
        const reloaded = await reload();
        if (reloaded.kind === "refused") for (const message of reloaded.messages) logger.log(reloaded.level, message);
        if (reloaded.kind === "reloaded" && reloaded.changes.length > 0) onReload(reloaded.changes);
      };
      try {
        watch = await watchConfig(await filesToWatch(source, io), reloadAndTell);
        logger.log("info", `Watching ${source.file} for changes`);
      } catch (error) {
        // Such as when the system has no watches left. Everything else works.
        const reason = error instanceof Error ? error.message : String(error);
        logger.log("warn", `${source.file} cannot be watched, so changes to it are not noticed: ${reason}`);
      }
    },
    async close() {
      closing.abort();
      await watch?.close();
      await last;
    },
  };
}

/** A file of the current folder is reloaded when somebody agrees to its new content, too. */
async function filesToWatch({ file, origin }: FoundFile, io: Io): Promise<readonly string[]> {
  return origin === "operator" ? [file] : [file, recordFile(await placeOf(file), io)];
}

async function reloadOnce(
  host: Pick<EngineHost, "reload">,
  source: FoundFile | undefined,
  logger: Logger,
  io: Io,
): Promise<ConfigReload> {
  if (source === undefined) return { kind: "no-file" };
  const loaded = await loadFile(source, io, undefined);
  if (loaded.kind === "unagreed") return { kind: "refused", level: "warn", messages: [loaded.atReload] };
  if (loaded.kind === "refused")
    return {
      kind: "refused",
      level: "error",
      messages: loaded.messages.map((message) => `${message}\nNothing was changed.`),
    };
  for (const warning of loaded.warnings) logger.log("warn", warning);
  const { changes, problems } = await host.reload(loaded.config);
  return { kind: "reloaded", file: source.file, changes, problems: problems.map(({ text }) => text) };
}
