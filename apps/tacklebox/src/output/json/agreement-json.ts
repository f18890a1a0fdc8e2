/*
 * The `--json` output of `allow` and `deny`. Fields may be added, never renamed.
 */

export interface AllowJson {
  readonly file: string;
  /** `unchanged`: this content was agreed to before. */
  readonly result: "allowed" | "unchanged";
  /** What the file asks for, whole and as it is written. */
  readonly asks_for: readonly {
    readonly what: string;
    readonly name: string;
    readonly lines: readonly { readonly label: string; readonly text: string }[];
  }[];
  /** Environment variables that it is given. */
  readonly variables: readonly string[];
  /** Secrets of the vault that it is given. */
  readonly secrets: readonly string[];
}

export interface DenyJson {
  readonly file: string;
  readonly result: "denied" | "unchanged";
}

export const AGREEMENT_JSON_SHAPES = {
  allow: `{ file, result: "allowed" | "unchanged", asks_for: [{ what, name, lines: [{ label, text }] }],
    variables: [name], secrets: [name] }`,
  deny: `{ file, result: "denied" | "unchanged" }`,
} as const;
