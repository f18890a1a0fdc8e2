import { argument, extraArguments, hiddenOption } from "../command-line/parameters.ts";
import { checkedCommand, command, group } from "../command-line/row.ts";
import { SECRET_JSON_SHAPES } from "../output/json/secret-json.ts";

const KEY_HELP = `
Secrets are sealed in the data folder. Their key is TACKLEBOX_VAULT_KEY (32 random bytes in base64) if that is set,
else it is kept in the keychain of this system, else in the file vault.key of the data folder.`;

const VALUE_IN_ARGUMENTS =
  "a value on the command line stays in the shell's history and shows in lists of processes. " +
  "Leave it away and type it when asked, or pipe it in: tacklebox secret set NAME < file";

/** The commands that keep credentials for servers. */
export const SECRET = group("secret", "keep credentials for servers", [
  checkedCommand({
    name: "set",
    summary: "store a value, asked for without showing it, or read from stdin",
    example: "tacklebox secret set github.token",
    json: SECRET_JSON_SHAPES.set,
    more: KEY_HELP,
    overview: {
      stage: "keep watch",
      lines: [["tacklebox secret set github.token", "store a credential that config files name"]],
    },
    takes: {
      name: argument("what to call it; config files write ${secret:NAME}"),
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
    summary: "show the names of stored secrets, never their values",
    example: "tacklebox secret list --json",
    json: SECRET_JSON_SHAPES.list,
    takes: {},
    load: () => import("../commands/secret/list.ts"),
  }),

  command({
    name: "remove",
    summary: "forget a secret",
    example: "tacklebox secret remove github.token",
    json: SECRET_JSON_SHAPES.remove,
    takes: { name: argument("the secret's name") },
    load: () => import("../commands/secret/remove.ts"),
  }),

  command({
    name: "rotate",
    summary: "replace the key that seals the secrets; their values stay",
    example: "tacklebox secret rotate",
    json: SECRET_JSON_SHAPES.rotate,
    more: `${KEY_HELP}
To replace TACKLEBOX_VAULT_KEY, put the new key there and the old one in TACKLEBOX_VAULT_KEY_PREVIOUS, then rotate.`,
    takes: {},
    load: () => import("../commands/secret/rotate.ts"),
  }),
]);
