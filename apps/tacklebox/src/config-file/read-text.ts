import { type FileHandle, open } from "node:fs/promises";

export type ReadText =
  | { readonly kind: "ok"; readonly text: string }
  | { readonly kind: "unreadable"; readonly message: string };

const LARGEST_CONFIG_BYTES = 1024 * 1024;

/** Reads a config file without ever holding more than the allowed size, whatever the file turns out to be. */
export async function readConfigText(file: string): Promise<ReadText> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, "r");
    return await readBounded(file, handle);
  } catch (error) {
    const code = errorCode(error);
    return unreadable(file, REASONS[code] ?? code);
  } finally {
    await handle?.close();
  }
}

async function readBounded(file: string, handle: FileHandle): Promise<ReadText> {
  const stats = await handle.stat();
  if (stats.isDirectory()) return unreadable(file, "it is a folder");
  if (stats.size > LARGEST_CONFIG_BYTES) return tooLarge(file, `${(stats.size / 1024 / 1024).toFixed(1)} MB`);

  // Pipes and devices report no size, so the limit is on the bytes read.
  const buffer = Buffer.alloc(LARGEST_CONFIG_BYTES + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, null);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  if (length > LARGEST_CONFIG_BYTES) return tooLarge(file, "more than 1 MB");
  try {
    return { kind: "ok", text: new TextDecoder("utf-8", { fatal: true }).decode(buffer.subarray(0, length)) };
  } catch {
    return unreadable(file, "it is not UTF-8 text");
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  ENOTDIR: "it does not exist",
  EACCES: "this user may not read it",
  EPERM: "this user may not read it",
  EISDIR: "it is a folder",
  ELOOP: "it is a link that leads back to itself",
  ENAMETOOLONG: "its name is too long",
};

function unreadable(file: string, reason: string): ReadText {
  return {
    kind: "unreadable",
    message: `${file}\nCannot read the config file: ${reason}. Name another with --config FILE.`,
  };
}

function tooLarge(file: string, size: string): ReadText {
  return {
    kind: "unreadable",
    message: `${file}\nThe config file is ${size}; a config file may be at most 1 MB. Is this the right file?`,
  };
}

function errorCode(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  throw error;
}
