import { watch } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";

/** Calls `onChange` whenever the file has changed, until it is closed. */
export type WatchFile = (file: string, onChange: () => void) => Promise<{ close(): Promise<void> }>;

export interface ConfigWatch {
  /** Stops watching, and waits for a reload in progress. */
  close(): Promise<void>;
}

/** Calls `reload` after every change of a file: never twice at once, and again if one changed during a reload. */
export async function watchConfig(
  files: readonly string[],
  reload: () => Promise<void>,
  watchFile: WatchFile = watchFolder,
): Promise<ConfigWatch> {
  let running: Promise<void> | undefined;
  let changedAgain = false;

  async function reloadUntilUnchanged(): Promise<void> {
    do {
      changedAgain = false;
      await reload();
    } while (changedAgain);
  }

  const onChange = () => {
    if (running !== undefined) {
      changedAgain = true;
      return;
    }
    running = reloadUntilUnchanged().finally(() => {
      running = undefined;
    });
  };
  const watchers = await Promise.all(files.map((file) => watchFile(file, onChange)));
  return {
    async close() {
      await Promise.all(watchers.map((watcher) => watcher.close()));
      await running;
    },
  };
}

const DEBOUNCE_MS = 50;

/**
 * Watches the folder, because editors and deployments replace a file (or a link on the way to it) rather than write
 * into it, and a watch on the file itself would be left with the old one.
 */
const watchFolder: WatchFile = async (file, onChange) => {
  let seen = await signatureOf(file);
  let timer: NodeJS.Timeout | undefined;
  const checkFile = async () => {
    const now = await signatureOf(file);
    // The file is missing for a moment while it is replaced; another event follows when it is back.
    if (now === undefined || now === seen) return;
    seen = now;
    onChange();
  };
  const watcher = watch(dirname(file), () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void checkFile();
    }, DEBOUNCE_MS);
  });
  // A deleted folder can no longer be watched; the engine keeps running with its current config.
  watcher.on("error", () => watcher.close());
  return {
    async close() {
      clearTimeout(timer);
      watcher.close();
    },
  };
};

async function signatureOf(file: string): Promise<string | undefined> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found && `${found.ino} ${found.mtimeNs} ${found.size}`;
}
