import { readConfigBytes, type Unreadable, unreadable } from "./read-bytes.ts";

export type ReadText = { readonly kind: "ok"; readonly text: string } | Unreadable;

/** Reads a config file that the operator chose. */
export async function readConfigText(file: string): Promise<ReadText> {
  const read = await readConfigBytes(file, "anything");
  return read.kind === "unreadable" ? read : decodeConfig(file, read.bytes);
}

/** Removes a byte order mark. */
export function decodeConfig(file: string, bytes: Uint8Array): ReadText {
  try {
    return { kind: "ok", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return unreadable(file, "it is not UTF-8 text");
  }
}
