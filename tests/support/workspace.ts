import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { releaseAfterwards } from "./release.ts";

/** Creates an empty folder that is removed when the test ends. Returns its real path, which is what programs report. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), "tacklebox-test-"));
  releaseAfterwards(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Writes a file and returns its path. */
export async function writeConfig(folder: string, name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}
