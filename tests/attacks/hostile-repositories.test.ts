import { beforeAll, describe, expect, it } from "vitest";
import { listCommands, type TriedCommand } from "./hostile-repositories/commands.ts";
import { type Lures, setLures } from "./hostile-repositories/lures.ts";
import { REPOSITORIES } from "./hostile-repositories/repositories.ts";
import { tryInRepository } from "./hostile-repositories/try-in-repository.ts";

// A sample. hostile-repositories.slow.ts runs every command in every repository.

let lures: Lures;
let commands: readonly TriedCommand[];
beforeAll(async () => {
  lures = await setLures();
  commands = await listCommands();
});

function commandNamed(line: string): TriedCommand {
  const found = commands.find((command) => command.line === line);
  if (found === undefined) throw new Error(`There is no command ${line}`);
  return found;
}

describe("hostile repositories", () => {
  it("T04: there are at least 40 of them, each with a name of its own", () => {
    const names = REPOSITORIES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(40);
  });

  it.each(REPOSITORIES)(
    "F1, T07: `tacklebox tools` starts, calls and reveals nothing in: $name",
    async (repository) => {
      await tryInRepository(repository, commandNamed("tools"), lures);
    },
  );

  it("F1: no command gives anything to the plainest of them", async () => {
    const [plain] = REPOSITORIES;
    if (plain === undefined) throw new Error("There is no repository");
    for (const command of commands) await tryInRepository(plain, command, lures);
  });
});
