import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { runProgram, startProgram } from "./program.ts";
import type { Exit } from "./running-process.ts";
import { fixtureServer, parsed, toolboxFile } from "./toolbox-file.ts";
import { temporaryFolder } from "./workspace.ts";

/** A call log that the program has written, and what an attacker or a failing disk can do to it. */
export interface FilledLog {
  readonly data: string;
  readonly file: string;
  readonly config: string;
  /** Runs a command on this data folder. */
  run(...args: readonly string[]): Promise<Exit>;
  /** Makes calls of the tool `fast` with these markers. */
  call(markers: readonly string[]): Promise<void>;
  /** Makes a call and kills the program, so that the end of the log is in the WAL alone. */
  callAndKill(): Promise<void>;
  /** What `calls verify --json` prints. */
  verify(...args: readonly string[]): Promise<Record<string, unknown>>;
  /** Runs SQL on the file, as somebody who can write it might. */
  tamper(sql: string): void;
}

export async function createFilledLog(count: number, toolbox: object = {}): Promise<FilledLog> {
  const folder = await temporaryFolder();
  const data = join(folder, "data");
  const file = join(data, "tacklebox.db");
  const servers = { ledger: fixtureServer("ledger", { LEDGER: join(folder, "ledger.txt") }) };
  const config = await toolboxFile({ servers, ...toolbox });
  const run = (...args: readonly string[]) => runProgram(args, { env: { TACKLEBOX_DATA: data } });
  const log: FilledLog = {
    data,
    file,
    config,
    run,
    async call(markers) {
      const lines = markers.map((marker) => JSON.stringify({ server: "ledger", tool: "fast", arguments: { marker } }));
      const { code, stdout, stderr } = await runProgram(["call", "--stdin", "--config", config], {
        env: { TACKLEBOX_DATA: data },
        stdin: `${lines.join("\n")}\n`,
      });
      const answers = stdout.split("\n").slice(0, -1).map(parsed);
      if (code !== 0 || answers.length !== markers.length) throw new Error(`the calls were not made: ${stderr}`);
    },
    async callAndKill() {
      const program = await startProgram(["call", "--stdin", "--config", config], { env: { TACKLEBOX_DATA: data } });
      const line = { id: "last", server: "ledger", tool: "fast", arguments: { marker: "last" } };
      program.write(`${JSON.stringify(line)}\n`);
      await program.waitForStdout((text) => text.startsWith('{"id":"last"'));
      program.kill("SIGKILL");
      await program.exit;
    },
    async verify(...args) {
      const { code, stdout, stderr } = await run("calls", "verify", "--json", ...args);
      if (stdout === "") throw new Error(`calls verify ended with ${code}: ${stderr}`);
      return { ...parsed(stdout), exit: code };
    },
    tamper(sql) {
      const database = new DatabaseSync(file);
      database.exec(`${sql}; PRAGMA wal_checkpoint(TRUNCATE)`);
      database.close();
    },
  };
  await log.call(Array.from({ length: count }, (_, index) => `marker-${index}`));
  return log;
}
