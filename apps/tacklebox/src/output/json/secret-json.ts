/*
 * The `--json` output of the `secret` commands. Scripts depend on these: fields may be added, never renamed.
 * No field ever holds a secret's value.
 */

export interface SecretSetJson {
  readonly name: string;
  readonly status: "stored" | "replaced";
}

export interface SecretListJson {
  readonly secrets: readonly { readonly name: string; readonly updated_at: string }[];
}

export interface SecretRemoveJson {
  readonly name: string;
  readonly removed: boolean;
}

export interface SecretRotateJson {
  /** The number of secrets that are now sealed with the new key. */
  readonly rewrapped: number;
}

/** The same shapes as text, for `--help`. */
export const SECRET_JSON_SHAPES = {
  set: `{ name, status: "stored" | "replaced" }`,
  list: `{ secrets: [{ name, updated_at }] }`,
  remove: `{ name, removed }`,
  rotate: `{ rewrapped: count }`,
} as const;
