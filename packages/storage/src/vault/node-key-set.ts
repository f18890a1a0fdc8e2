import { isJsonObject } from "@tacklebox/core";
import { fromBase64Url, toBase64Url } from "./base64url.ts";
import { randomBytes } from "./envelope.ts";
import { newKeyId } from "./memory-key-ring.ts";

/** The stored keys of a vault. There are several only while secrets are moved from one to the next. */
export interface KeySet {
  readonly current: string;
  readonly keys: readonly StoredKey[];
}

export interface StoredKey {
  readonly id: string;
  /** 32 bytes in base64url. */
  readonly key: string;
}

/** Stores a key set. Rejects with VaultError `locked` if the stored set must not be used. */
export interface KeySetStore {
  read(): Promise<KeySet | undefined>;
  /** Writes the first set; rejects with VaultError `locked` unless there certainly is none yet. */
  create(set: KeySet): Promise<void>;
  /** Resolves once the set would survive a crash. Until then the previous set is intact. */
  write(set: KeySet): Promise<void>;
}

const VERSION = 1;

export function withFreshKey(set: KeySet | undefined): KeySet {
  const id = newKeyId();
  const bytes = randomBytes(32);
  const key = toBase64Url(bytes);
  bytes.fill(0);
  return { current: id, keys: [...(set?.keys ?? []), { id, key }] };
}

export function formatKeySet({ current, keys }: KeySet): string {
  return `${JSON.stringify({ v: VERSION, current, keys }, undefined, 2)}\n`;
}

/** Undefined if the text is not a key set. */
export function parseKeySet(text: string): KeySet | undefined {
  const value = parseJson(text);
  if (!isJsonObject(value) || value.v !== VERSION || typeof value.current !== "string") return undefined;
  if (!Array.isArray(value.keys)) return undefined;
  const keys = value.keys.flatMap((entry) => {
    if (!isJsonObject(entry) || typeof entry.id !== "string" || typeof entry.key !== "string") return [];
    return fromBase64Url(entry.key)?.length === 32 ? [{ id: entry.id, key: entry.key }] : [];
  });
  const isWhole = keys.length === value.keys.length && keys.some(({ id }) => id === value.current);
  return isWhole ? { current: value.current, keys } : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
