import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { runProgram } from "../support/program.ts";
import type { Exit } from "../support/running-process.ts";
import { fixtureServer, type StdioEntry } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

/** A folder with a config file, as it is found after `git clone`, and a person with a data folder of their own. */
export interface FoundFolder {
  readonly cwd: string;
  readonly file: string;
  readonly data: string;
  readonly env: Readonly<Record<string, string>>;
  write(config: object): Promise<void>;
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Exit>;
  /** A server that leaves a trace when it starts, under a name of its own. */
  traced(name: string): StdioEntry;
  /** Whether the traced server of that name was ever started. */
  wasStarted(name: string): boolean;
}

export async function openFoundFolder(config?: object): Promise<FoundFolder> {
  const cwd = await temporaryFolder();
  const data = await temporaryFolder();
  const home = await temporaryFolder();
  const file = join(cwd, "tacklebox.yaml");
  const env = { HOME: home, TACKLEBOX_DATA: data };
  const trace = (name: string) => join(home, `started-${name}`);
  const folder: FoundFolder = {
    cwd,
    file,
    data,
    env,
    write: (written) => writeFile(file, stringify(written)),
    run: (args, more = {}) => runProgram(args, { cwd, env: { ...env, ...more } }),
    traced(name) {
      const { command, args } = fixtureServer("odd");
      const line = [command, ...args].map((word) => `'${word}'`).join(" ");
      return { command: "sh", args: ["-c", `touch ${trace(name)}; exec ${line}`] };
    },
    wasStarted: (name) => existsSync(trace(name)),
  };
  if (config !== undefined) await folder.write(config);
  return folder;
}
