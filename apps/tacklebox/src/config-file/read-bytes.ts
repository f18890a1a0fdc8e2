import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, stat } from "node:fs/promises";
import { readPipe } from "./read-pipe.ts";

export interface Unreadable {
  readonly kind: "unreadable";
  readonly message: string;
}

export interface ReadBytes {
  readonly kind: "ok";
  readonly bytes: Uint8Array;
  /** Owner and mode of what was read. */
  readonly stats: Pick<Stats, "mode" | "uid" | "gid">;
}

export const LARGEST_CONFIG_BYTES = 1024 * 1024;

/** `regular file` refuses pipes and devices without opening them: opening one can block, and has effects of its own. */
export type Allowed = "regular file" | "anything";

/**
 * Reads a config file once, without ever holding more than the allowed size, whatever the file turns out to be. A pipe
 * is waited for, but not for ever. `target` is where it really is, if known; messages name `file`.
 */
export async function readConfigBytes(
  file: string,
  allowed: Allowed,
  target: string = file,
): Promise<ReadBytes | Unreadable> {
  let handle: FileHandle | undefined;
  try {
    const before = await stat(target);
    if (before.isDirectory()) return unreadable(file, "it is a folder");
    if (!before.isFile() && allowed === "regular file") return unreadable(file, "it is not a regular file");
    if (before.isFIFO()) {
      const bytes = await readPipe(target, LARGEST_CONFIG_BYTES);
      return bytes === undefined ? unreadable(file, SILENT_PIPE) : bounded(file, bytes, before);
    }
    // A pipe that takes the file's place just now must not block.
    handle = await open(target, constants.O_RDONLY | (allowed === "regular file" ? (constants.O_NONBLOCK ?? 0) : 0));
    const stats = await handle.stat();
    if (!stats.isFile() && allowed === "regular file") return unreadable(file, "it is not a regular file");
    if (stats.size > LARGEST_CONFIG_BYTES) return tooLarge(file, `${(stats.size / 1024 / 1024).toFixed(1)} MB`);
    return bounded(file, await readUpTo(handle, LARGEST_CONFIG_BYTES + 1), stats);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" && (await isLink(target)))
      return unreadable(file, "it is a link to a file that does not exist");
    return unreadable(file, REASONS[code] ?? code);
  } finally {
    await handle?.close();
  }
}

async function isLink(file: string): Promise<boolean> {
  return lstat(file).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );
}

export function unreadable(file: string, reason: string): Unreadable {
  return {
    kind: "unreadable",
    message: `${file}\nCannot read the config file: ${reason}. Name another with --config FILE.`,
  };
}

/** Devices report no size, so the limit is on the bytes read. */
async function readUpTo(handle: FileHandle, most: number): Promise<Uint8Array> {
  const buffer = Buffer.alloc(most);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, null);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

function bounded(file: string, bytes: Uint8Array, stats: ReadBytes["stats"]): ReadBytes | Unreadable {
  return bytes.length > LARGEST_CONFIG_BYTES ? tooLarge(file, "more than 1 MB") : { kind: "ok", bytes, stats };
}

const SILENT_PIPE = "it is a pipe, and nothing was written to it for 30 seconds, or it had not ended after 2 minutes";

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  ENOTDIR: "it does not exist",
  EACCES: "you do not have permission to read it",
  EPERM: "you do not have permission to read it",
  EISDIR: "it is a folder",
  ELOOP: "it is a link that points back to itself",
  ENAMETOOLONG: "its name is too long",
  ENXIO: "it is a socket or a device that is not there",
};

function tooLarge(file: string, size: string): Unreadable {
  return {
    kind: "unreadable",
    message: `${file}\nThe config file is ${size}; a config file may be at most 1 MB. Is this the right file?`,
  };
}

function errorCode(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  throw error;
}
