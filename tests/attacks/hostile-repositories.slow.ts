import { describe, it } from "vitest";
import { listCommands } from "./hostile-repositories/commands.ts";
import { setLures } from "./hostile-repositories/lures.ts";
import { REPOSITORIES } from "./hostile-repositories/repositories.ts";
import { tryInRepository } from "./hostile-repositories/try-in-repository.ts";

describe("F1, T04, T07: every command in every hostile repository", async () => {
  const commands = await listCommands();
  const lures = await setLures();
  it.each(REPOSITORIES)("$name", async (repository) => {
    for (const command of commands) await tryInRepository(repository, command, lures);
  });
});
