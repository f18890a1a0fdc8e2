import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { DECEIVING } from "../../support/hostile-server.ts";
import { runProgram } from "../../support/program.ts";
import { temporaryFolder } from "../../support/workspace.ts";
import type { TriedCommand } from "./commands.ts";
import { type Lures, VARIABLE_CANARY, VAULT_CANARY } from "./lures.ts";
import type { Repository } from "./repository.ts";

/** What a command that uses the config file says about one that does not count. Each is one message. */
const SENTENCES = {
  config: /you have not agreed to it\. .* so none of it was used\.\n.*: tacklebox allow /,
  unreadable:
    /^Cannot (?:read|write) the config file: .*\.|^The config file is .* at most 1 MB\. |^This is a link to /m,
} as const;

const MOST_CHARACTERS = 20_000;

/** Runs a command in a fresh copy of the repository and checks that the repository gets nothing out of it. */
export async function tryInRepository(repository: Repository, command: TriedCommand, lures: Lures): Promise<void> {
  const folder = join(await temporaryFolder(), "repository");
  await mkdir(folder);
  const cwd = (await repository.lay(folder, lures)) ?? folder;
  const { args, stdin, line, needs } = command;
  const env = await lures.env();
  const { code, stdout, stderr } = await runProgram(args, { cwd, env, ...(stdin === undefined ? {} : { stdin }) });
  const place = `tacklebox ${line} in: ${repository.name}\n${stdout.slice(0, 2_000)}\n${stderr.slice(0, 2_000)}`;

  expect(await lures.caught(), place).toEqual([]);
  for (const canary of [VAULT_CANARY, VARIABLE_CANARY]) expect(stdout + stderr, place).not.toContain(canary);
  expect(stderr, place).not.toMatch(/^ +at |internal error/m);
  expect(stdout + stderr, place).not.toMatch(DECEIVING);
  // The one command whose purpose is to show a file whole.
  if (line !== "allow") expect(stdout.length + stderr.length, place).toBeLessThan(MOST_CHARACTERS);
  if (needs === "config" && repository.has !== "nothing") {
    expect(code, place).toBe(1);
    expect(stdout, place).toBe("");
    expect(stderr, place).toMatch(SENTENCES[repository.has]);
  }
}
