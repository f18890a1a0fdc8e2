import { type Command, Option } from "commander";
import { SECRET_JSON_SHAPES } from "../output/secret-json.ts";
import { type Registration, toCommon, type Values } from "./registration.ts";

const KEY_HELP = `
Secrets are sealed in the data folder. Their key is TACKLEBOX_VAULT_KEY (32 random bytes in base64) if that is set,
else it is kept in the keychain of this system, else in the file vault.key of the data folder.`;

const VALUE_IN_ARGUMENTS =
  "error: a value on the command line stays in the shell's history and shows in lists of processes. " +
  "Leave it away and type it when asked, or pipe it in: tacklebox secret set NAME < file";

/** The commands that keep credentials for servers. */
export function registerSecrets({ addCommand, context, exitWith }: Registration): void {
  addCommand("set", "store a value, asked for without showing it, or read from stdin", {
    example: "tacklebox secret set github.token",
    json: SECRET_JSON_SHAPES.set,
    more: KEY_HELP,
  })
    .argument("<name>", "what to call it; config files write ${secret:NAME}")
    // Both only so that a value in the wrong place is met with the reason, and never repeated.
    .allowExcessArguments()
    .addOption(new Option("--value [value]").hideHelp())
    .action(async (name: string, options: Values, command: Command) => {
      if (command.args.length > 1 || options.value !== undefined) command.error(VALUE_IN_ARGUMENTS);
      const { run } = await import("../commands/secret-set.ts");
      exitWith(await run(await context(), { ...toCommon(options), name }));
    });

  addCommand("list", "show the names of stored secrets, never their values", {
    example: "tacklebox secret list --json",
    json: SECRET_JSON_SHAPES.list,
  }).action(async (options: Values) => {
    const { run } = await import("../commands/secret-list.ts");
    exitWith(await run(await context(), toCommon(options)));
  });

  addCommand("remove", "forget a secret", {
    example: "tacklebox secret remove github.token",
    json: SECRET_JSON_SHAPES.remove,
  })
    .argument("<name>", "the secret's name")
    .action(async (name: string, options: Values) => {
      const { run } = await import("../commands/secret-remove.ts");
      exitWith(await run(await context(), { ...toCommon(options), name }));
    });

  addCommand("rotate", "replace the key that seals the secrets; their values stay", {
    example: "tacklebox secret rotate",
    json: SECRET_JSON_SHAPES.rotate,
    more: `${KEY_HELP}
To replace TACKLEBOX_VAULT_KEY, put the new key there and the old one in TACKLEBOX_VAULT_KEY_PREVIOUS, then rotate.`,
  }).action(async (options: Values) => {
    const { run } = await import("../commands/secret-rotate.ts");
    exitWith(await run(await context(), toCommon(options)));
  });
}
