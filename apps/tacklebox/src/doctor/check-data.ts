import { constants } from "node:fs";
import { access, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { DoctorFinding } from "./finding.ts";

const LARGE_BYTES = 5 * 1024 ** 3;

/** Checks that the data folder, whose store could be opened, can be written to, and how large it is. */
export async function checkData(folder: string): Promise<DoctorFinding> {
  try {
    await access(folder, constants.R_OK | constants.W_OK);
  } catch {
    const next = "Make it writable for this user, or name another with TACKLEBOX_DATA.";
    return { about: "data", verdict: "problem", text: `${folder} cannot be written to.`, next };
  }
  const bytes = await sizeOf(folder);
  const text = `${folder}: ${formatBytes(bytes)}`;
  if (bytes < LARGE_BYTES) return { about: "data", verdict: "ok", text };
  return {
    about: "data",
    verdict: "warn",
    text,
    next: "Keep fewer calls: see 'calls' in the config (keep, keep_at_most, keep_bytes).",
  };
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder);
  // Files come and go while other processes work in the same folder.
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function formatBytes(bytes: number): string {
  if (bytes < 1024 ** 2) return `${(bytes / 1024).toFixed(0)} KiB`;
  return bytes < 1024 ** 3 ? `${(bytes / 1024 ** 2).toFixed(1)} MiB` : `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}
