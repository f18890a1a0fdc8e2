/*
 * What the `secret` commands print with `--json`. Scripts depend on these: fields may be added, never renamed.
 * No field ever holds a value.
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
  /** How many secrets changed their key. */
  readonly rewrapped: number;
}

/** The same shapes for people, shown by `--help`. */
export const SECRET_JSON_SHAPES = {
  set: `{ name, status: "stored" | "replaced" }`,
  list: `{ secrets: [{ name, updated_at }] }`,
  remove: `{ name, removed }`,
  rotate: `{ rewrapped: count }`,
} as const;
