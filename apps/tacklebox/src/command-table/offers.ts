import { InvalidArgumentError } from "commander";
import { argument, optionalArgument, parsedEach, text } from "../command-line/parameters.ts";
import { type CommandRow, checkedCommand, command } from "../command-line/row.ts";
import { OFFERS_JSON_SHAPES } from "../output/json/offers-json.ts";

/** The commands about what servers offer besides tools. */
export const OFFERS: readonly CommandRow[] = [
  command({
    name: "resources",
    section: "Tools and calls",
    summary: "list the resources that servers offer",
    example: "tacklebox resources --server files",
    json: OFFERS_JSON_SHAPES.resources,
    takes: { server: text("--server <name>", "only the resources of this server") },
    load: () => import("../commands/resources.ts"),
  }),

  command({
    name: "read",
    section: "Tools and calls",
    summary: "read a resource",
    example: "tacklebox read files file:///notes.txt > notes.txt",
    json: OFFERS_JSON_SHAPES.read,
    more: "\nA file or a pipe gets exactly what the server sent, with base64 decoded.",
    takes: {
      server: argument("the server"),
      uri: argument("the address of the resource"),
    },
    load: () => import("../commands/read.ts"),
  }),

  checkedCommand({
    name: "prompts",
    section: "Tools and calls",
    summary: "list the prompts that servers offer, or fill one in",
    example: "tacklebox prompts team standup --arg day=monday",
    json: OFFERS_JSON_SHAPES.prompts,
    takes: {
      server: optionalArgument("the server whose prompts to show"),
      prompt: optionalArgument("the prompt to fill in"),
      onlyServer: text("--server <name>", "only the prompts of this server"),
      pairs: parsedEach("--arg <name=value>", "an argument of the prompt; repeatable", parsePair),
    },
    check({ server, prompt, onlyServer, pairs, ...common }) {
      if (server === undefined) {
        return pairs.length > 0
          ? { kind: "refused", message: "--arg needs a server and a prompt" }
          : { kind: "ok", options: { ...common, server: onlyServer, prompt: undefined } };
      }
      if (onlyServer !== undefined)
        return { kind: "refused", message: "name the server once, as an argument or with --server" };
      if (prompt === undefined)
        return pairs.length > 0
          ? {
              kind: "refused",
              message: `--arg needs a prompt. To list those of ${server}: tacklebox prompts ${server}`,
            }
          : { kind: "ok", options: { ...common, server, prompt: undefined } };
      const filled = { name: prompt, arguments: Object.fromEntries(pairs) };
      return { kind: "ok", options: { ...common, server, prompt: filled } };
    },
    load: () => import("../commands/prompts.ts"),
  }),
];

function parsePair(given: string): readonly [name: string, value: string] {
  const end = given.indexOf("=");
  if (end < 1) throw new InvalidArgumentError("It must look like name=value.");
  return [given.slice(0, end), given.slice(end + 1)];
}
