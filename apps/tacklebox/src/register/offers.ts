import { type Command, InvalidArgumentError } from "commander";
import { OFFERS_JSON_SHAPES } from "../output/offers-json.ts";
import { type Registration, text, toCommon, type Values } from "./registration.ts";

/** The commands about what servers offer besides tools. */
export function registerOffers({ addCommand, context, exitWith }: Registration): void {
  addCommand("resources", "show what can be read from servers", {
    example: "tacklebox resources --server files",
    json: OFFERS_JSON_SHAPES.resources,
  })
    .option("--server <name>", "only the resources of this server")
    .action(async (options: Values) => {
      const { run } = await import("../commands/resources.ts");
      exitWith(await run(await context(), { ...toCommon(options), server: text(options.server) }));
    });

  addCommand("read", "read a resource of a server", {
    example: "tacklebox read files file:///notes.txt > notes.txt",
    json: OFFERS_JSON_SHAPES.read,
    more: "\nInto a file or a pipe goes what the server sent and nothing else; base64 is decoded.",
  })
    .argument("<server>", "the resource's server")
    .argument("<uri>", "the resource's address")
    .action(async (server: string, uri: string, options: Values) => {
      const { run } = await import("../commands/read.ts");
      exitWith(await run(await context(), { ...toCommon(options), server, uri }));
    });

  addCommand("prompts", "show the prompts servers offer, or one filled in", {
    example: "tacklebox prompts team standup --arg day=monday",
    json: OFFERS_JSON_SHAPES.prompts,
  })
    .argument("[server]", "the prompt's server")
    .argument("[prompt]", "the prompt to fill in")
    .option("--server <name>", "only the prompts of this server")
    .option("--arg <name=value>", "an argument of the prompt; repeat for more", collectArgument)
    .action(async (server: string | undefined, name: string | undefined, options: Values, command: Command) => {
      const wanted = toWanted(server, name, options, command);
      const { run } = await import("../commands/prompts.ts");
      exitWith(await run(await context(), { ...toCommon(options), ...wanted }));
    });
}

type Arguments = Readonly<Record<string, string>>;

interface Wanted {
  readonly server: string | undefined;
  readonly prompt: { readonly name: string; readonly arguments: Arguments } | undefined;
}

function toWanted(server: string | undefined, name: string | undefined, options: Values, command: Command): Wanted {
  const only = text(options.server);
  if (server === undefined) {
    if (options.arg !== undefined) command.error("error: --arg needs a server and a prompt");
    return { server: only, prompt: undefined };
  }
  if (only !== undefined) command.error("error: name the server once, as an argument or with --server");
  if (name === undefined)
    return command.error(`error: name the prompt too, or list them with: tacklebox prompts --server ${server}`);
  return { server, prompt: { name, arguments: argumentsOf(options.arg) } };
}

function collectArgument(given: string, before: unknown): Arguments {
  const end = given.indexOf("=");
  if (end < 1) throw new InvalidArgumentError("It must look like name=value.");
  return { ...argumentsOf(before), [given.slice(0, end)]: given.slice(end + 1) };
}

function argumentsOf(value: unknown): Arguments {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
