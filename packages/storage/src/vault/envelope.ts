import { VaultError } from "@tacklebox/core";
import { fromBase64Url, toBase64Url } from "./base64url.ts";
import type { VaultKey, WebKey } from "./key-ring.ts";
import type { SecretRecord } from "./secret-record.ts";

const VERSION = 1;
const ALGORITHM = "A256GCM";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The unencrypted part of a record. All of it is authenticated with the sealed parts. */
export type RecordLabel = Pick<SecretRecord, "name" | "rev" | "createdAt" | "updatedAt">;

export type RandomBytes = (count: number) => Uint8Array<ArrayBuffer>;

export function randomBytes(count: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(count));
}

/** Seals a value with its own fresh key, which `kek` wraps. */
export async function seal(
  value: string,
  label: RecordLabel,
  kek: VaultKey,
  random: RandomBytes = randomBytes,
): Promise<SecretRecord> {
  const head = { v: VERSION, alg: ALGORITHM, ...label, kekId: kek.id };
  const dek = random(KEY_BYTES);
  const nonce = random(NONCE_BYTES);
  const wrapNonce = random(NONCE_BYTES);
  const dekKey = await importDek(dek);
  const ciphertext = await encrypt(dekKey, nonce, valueBinding(head), new TextEncoder().encode(value));
  const wrappedDek = await encrypt(kek.key, wrapNonce, keyBinding(head), dek);
  dek.fill(0);
  return { ...head, wrapNonce: toBase64Url(wrapNonce), wrappedDek, nonce: toBase64Url(nonce), ciphertext };
}

/** Returns the value. Rejects with VaultError `corrupted` unless every field is as it was sealed. */
export async function unseal(record: SecretRecord, kek: VaultKey): Promise<string> {
  const dek = await unwrapDek(record, kek);
  const dekKey = await importDek(dek);
  dek.fill(0);
  const bytes = await decrypt(record, dekKey, record.nonce, valueBinding(record), record.ciphertext);
  return new TextDecoder().decode(bytes);
}

/** Wraps the record's key with another one. The sealed value stays the same. */
export async function rewrap(
  record: SecretRecord,
  from: VaultKey,
  to: VaultKey,
  random: RandomBytes = randomBytes,
): Promise<SecretRecord> {
  const dek = await unwrapDek(record, from);
  const next = { ...record, kekId: to.id };
  const wrapNonce = random(NONCE_BYTES);
  const wrappedDek = await encrypt(to.key, wrapNonce, keyBinding(next), dek);
  dek.fill(0);
  return { ...next, wrapNonce: toBase64Url(wrapNonce), wrappedDek };
}

async function unwrapDek(record: SecretRecord, kek: VaultKey): Promise<Uint8Array<ArrayBuffer>> {
  if (record.v !== VERSION || record.alg !== ALGORITHM) throw corrupted(record);
  const dek = await decrypt(record, kek.key, record.wrapNonce, keyBinding(record), record.wrappedDek);
  if (dek.length !== KEY_BYTES) throw corrupted(record);
  return dek;
}

type Head = RecordLabel & Pick<SecretRecord, "v" | "alg" | "kekId">;

function keyBinding({ v, alg, name, kekId, rev, createdAt, updatedAt }: Head): string {
  return ["tacklebox-dek", v, alg, name, kekId, rev, createdAt, updatedAt].join("|");
}

/** Leaves out the key's id, so that rewrapping the record's key does not change the sealed value. */
function valueBinding({ v, alg, name, rev }: Head): string {
  return ["tacklebox-value", v, alg, name, rev].join("|");
}

async function encrypt(
  key: WebKey,
  iv: Uint8Array<ArrayBuffer>,
  binding: string,
  plain: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const additionalData = new TextEncoder().encode(binding);
  return toBase64Url(new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, key, plain)));
}

async function decrypt(
  record: SecretRecord,
  key: WebKey,
  nonce: string,
  binding: string,
  sealed: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const iv = fromBase64Url(nonce);
  const bytes = fromBase64Url(sealed);
  if (iv?.length !== NONCE_BYTES || bytes === undefined || bytes.length < TAG_BYTES) throw corrupted(record);
  const additionalData = new TextEncoder().encode(binding);
  try {
    return new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData }, key, bytes));
  } catch (cause) {
    throw corrupted(record, cause);
  }
}

function importDek(bytes: Uint8Array<ArrayBuffer>): Promise<WebKey> {
  return crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
}

function corrupted({ name }: SecretRecord, cause?: unknown): VaultError {
  return new VaultError(
    "corrupted",
    `The stored secret '${name}' is damaged, or something else changed it. Store its value again.`,
    cause === undefined ? {} : { cause },
  );
}
