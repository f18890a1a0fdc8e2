import { argument, extraArguments, hiddenOption } from "../command-line/parameters.ts";
import { checkedCommand, command, group } from "../command-line/row.ts";
import { SECRET_JSON_SHAPES } from "../output/json/secret-json.ts";

const KEY_HELP = `
Secrets are stored encrypted in the data folder. The key is TACKLEBOX_VAULT_KEY (32 random bytes in base64) if that is
set; otherwise it is kept in this system's keychain or, if there is none, in the file vault.key in the data folder.`;

const VALUE_IN_ARGUMENTS =
  "a value on the command line stays in the history of your shell, and other users can see it. " +
  "Leave it out; you will be prompted. Or pipe it in: tacklebox secret set NAME < file";

/** The commands that keep credentials for servers. */
export const SECRET = group("secret", "credentials for servers", "Trust and secrets", [
  checkedCommand({
    name: "set",
    summary: "store a secret, typed at a hidden prompt or piped in",
    example: "tacklebox secret set github.token",
    json: SECRET_JSON_SHAPES.set,
    more: KEY_HELP,
    takes: {
      name: argument("a name for it; config files refer to it as ${secret:NAME}"),
      // Accepted only to explain why a value does not belong here, without repeating it.
      further: extraArguments(),
      value: hiddenOption("--value [value]"),
    },
    check: ({ further, value, ...options }) =>
      further.length > 0 || value !== undefined
        ? { kind: "refused", message: VALUE_IN_ARGUMENTS }
        : { kind: "ok", options },
    load: () => import("../commands/secret/set.ts"),
  }),

  command({
    name: "list",
    summary: "list the names of stored secrets, never their values",
    example: "tacklebox secret list --json",
    json: SECRET_JSON_SHAPES.list,
    takes: {},
    load: () => import("../commands/secret/list.ts"),
  }),

  command({
    name: "remove",
    summary: "delete a secret",
    example: "tacklebox secret remove github.token",
    json: SECRET_JSON_SHAPES.remove,
    takes: { name: argument("the secret's name") },
    load: () => import("../commands/secret/remove.ts"),
  }),

  command({
    name: "rotate",
    summary: "replace the key that encrypts the secrets; their values stay",
    example: "tacklebox secret rotate",
    json: SECRET_JSON_SHAPES.rotate,
    more: `${KEY_HELP}

To replace TACKLEBOX_VAULT_KEY, set it to the new key and TACKLEBOX_VAULT_KEY_PREVIOUS to the old one, then run this
command.`,
    takes: {},
    load: () => import("../commands/secret/rotate.ts"),
  }),
]);
