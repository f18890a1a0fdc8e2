/** What notices that a file changed. chokidar outside of tests. */
export type WatchFile = (file: string, onChange: () => void) => Promise<{ close(): Promise<void> }>;

export interface ConfigWatch {
  /** Ends the watch; a reload that runs is waited for. */
  close(): Promise<void>;
}

/** Calls `reload` after every change of the file, never twice at once, and once more when it changed meanwhile. */
export async function watchConfig(
  file: string,
  reload: () => Promise<void>,
  watchFile: WatchFile = watchWithChokidar,
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

const watchWithChokidar: WatchFile = async (file, onChange) => {
  const { watch } = await import("chokidar");
  // Editors replace a file rather than write into it; `atomic` sees that as one change.
  const watcher = watch(file, { ignoreInitial: true, atomic: true });
  watcher.on("add", onChange).on("change", onChange);
  await new Promise<void>((resolve) => watcher.once("ready", () => resolve()));
  return { close: () => watcher.close() };
};
