import { watch } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";

/** What notices that a file changed. */
export type WatchFile = (file: string, onChange: () => void) => Promise<{ close(): Promise<void> }>;

export interface ConfigWatch {
  /** Ends the watch; a reload that runs is waited for. */
  close(): Promise<void>;
}

/** Calls `reload` after every change of the file, never twice at once, and once more when it changed meanwhile. */
export async function watchConfig(
  file: string,
  reload: () => Promise<void>,
  watchFile: WatchFile = watchFolder,
): Promise<ConfigWatch> {
  let running: Promise<void> | undefined;
  let changedAgain = false;

  async function reloadUntilCalm(): Promise<void> {
    do {
      changedAgain = false;
      await reload();
    } while (changedAgain);
  }

  const watcher = await watchFile(file, () => {
    if (running !== undefined) {
      changedAgain = true;
      return;
    }
    running = reloadUntilCalm().finally(() => {
      running = undefined;
    });
  });
  return {
    async close() {
      await watcher.close();
      await running;
    },
  };
}

const CALM_MS = 50;

/**
 * Watches the folder, because editors and deployments replace a file (or a link on the way to it) rather than write
 * into it, and a watch on the file itself would be left with the old one.
 */
const watchFolder: WatchFile = async (file, onChange) => {
  let seen = await signatureOf(file);
  let timer: NodeJS.Timeout | undefined;
  const look = async () => {
    const now = await signatureOf(file);
    // Absent for a moment while it is replaced; the event of its return is still to come.
    if (now === undefined || now === seen) return;
    seen = now;
    onChange();
  };
  const watcher = watch(dirname(file), () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void look();
    }, CALM_MS);
  });
  // A folder that is deleted cannot be watched any more; what runs goes on with what it has.
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
