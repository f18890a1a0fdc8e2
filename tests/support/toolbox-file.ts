import { stringify } from "yaml";
import { fixturePath, type StdioFixture } from "./servers.ts";
import { temporaryFolder, writeConfig } from "./workspace.ts";

export interface StdioEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Returns a config entry that runs a Node program. */
export function nodeServer(path: string, ...args: readonly string[]): StdioEntry {
  return { command: process.execPath, args: [path, ...args] };
}

export function fixtureServer(name: StdioFixture, env: Readonly<Record<string, string>> = {}): StdioEntry {
  return { ...nodeServer(fixturePath(name), "stdio"), env };
}

/** Writes `config` as tacklebox.yaml into a folder of its own and returns the file. */
export async function toolboxFile(config: object): Promise<string> {
  return writeConfig(await temporaryFolder(), "tacklebox.yaml", stringify(config));
}

/** Parses the JSON object a command printed. */
export function parsed(stdout: string): Record<string, unknown> {
  const value: unknown = JSON.parse(stdout);
  if (typeof value !== "object" || value === null) throw new Error(`not a JSON object: ${stdout}`);
  return Object.fromEntries(Object.entries(value));
}

/** Returns the log lines a program wrote as JSON, each as `level text`. Other lines on stderr are left out. */
export function logLines(stderr: string): string[] {
  return stderr
    .split("\n")
    .filter((line) => line.startsWith('{"level"'))
    .map((line) => {
      const { level, msg } = parsed(line);
      return `${String(level)} ${String(msg)}`;
    });
}
