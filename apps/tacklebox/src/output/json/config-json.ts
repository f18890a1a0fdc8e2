/*
 * The `--json` output of the commands that change a config file. Fields may be added, never renamed.
 */

export interface ImportJson {
  /** The file the servers are written to. */
  readonly file: string;
  readonly servers: readonly ImportedServerJson[];
  readonly warnings: readonly string[];
  readonly problems: readonly string[];
}

export interface ImportedServerJson {
  readonly name: string;
  readonly from: string;
  /** `conflict`: the file has another server of this name, which was left alone. */
  readonly result: "added" | "unchanged" | "conflict" | "unsupported";
  readonly enabled: boolean;
  readonly command?: readonly string[];
  readonly url?: string;
  readonly cwd?: string;
  readonly env: readonly string[];
  /** Environment variables that it reads. */
  readonly reads: readonly string[];
  readonly secrets: readonly { readonly name: string; readonly where: string; readonly stored: boolean }[];
}

export interface ChangeJson {
  readonly file: string;
  readonly server: string;
  readonly result: "added" | "removed" | "enabled" | "disabled" | "unchanged";
}

const CHANGE = `{ file, server, result: "added" | "removed" | "enabled" | "disabled" | "unchanged" }`;

export const CONFIG_JSON_SHAPES = {
  import: `{ file, servers: [server], warnings: [text], problems: [text] }
    server = { name, from, result: "added" | "unchanged" | "conflict" | "unsupported", enabled,
      command?: [argv], url?, cwd?, env: [name], reads: [name], secrets: [{ name, where, stored }] }`,
  change: CHANGE,
} as const;
