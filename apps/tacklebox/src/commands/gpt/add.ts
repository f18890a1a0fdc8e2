import type { ApprovalMode, Gpt, IncludeMode } from "@tacklebox/core";
import type { CommonOptions, Context } from "../../command-options.ts";
import { quoteForShell } from "../../config-file/quote-for-shell.ts";
import { type IdleEngine, withIdleEngine } from "../../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../../exit-code.ts";
import { collectText, readChunks } from "../../json-lines/read-chunks.ts";
import { toGptJson } from "../../output/json/gpt-json.ts";
import { printJson, printProblems } from "../../output/print.ts";
import { printableLine } from "../../output/printable.ts";

export interface GptAddOptions extends CommonOptions {
  readonly key: string;
  readonly name: string | undefined;
  readonly description: string | undefined;
  /** The text, or `-` to read it from stdin. */
  readonly instructions: string | undefined;
  readonly model: string | undefined;
  readonly servers: readonly string[];
  /** Each is `server:tool=mode`. */
  readonly tools: readonly string[];
  readonly trusted: readonly string[];
  readonly approval: ApprovalMode;
}

const MAX_INSTRUCTIONS_BYTES = 1024 * 1024;

/** Saves an assistant. Does not replace one that exists, in the config file or saved. */
export function run(context: Context, options: GptAddOptions): Promise<ExitCode> {
  const { io } = context;
  return withIdleEngine(context, options, async (idle) => {
    const problem = await problemWith(options, idle);
    if (problem !== undefined) return refuse(problem, EXIT.usage);
    const instructions =
      options.instructions === "-"
        ? await collectText(readChunks(io.stdin, idle.interrupted), MAX_INSTRUCTIONS_BYTES)
        : (options.instructions ?? "");
    if (instructions === undefined) return refuse("stdin: instructions may be at most 1 MiB.", EXIT.usage);
    const saved = await idle.engine.gpts.save(toGpt(options, instructions.trim()));
    if (saved.kind === "failed") return refuse(`${saved.failure.message}.`, EXIT.couldNotStart);
    await (options.json
      ? printJson(io, toGptJson(saved.value, idle.config))
      : io.stdout.write(
          `${printableLine(`Saved GPT '${options.key}'. Use it with: tacklebox chat --gpt ${quoteForShell(options.key)}`)}\n`,
        ));
    return EXIT.ok;
  });

  async function refuse(message: string, code: ExitCode): Promise<ExitCode> {
    await printProblems(io, [message]);
    return code;
  }
}

async function problemWith(
  options: GptAddOptions,
  { engine, config, configFile }: IdleEngine,
): Promise<string | undefined> {
  const { key, servers, tools, trusted } = options;
  if (key.trim() === "" || key.length > 100 || /\p{Cc}/u.test(key))
    return "A GPT's key must have 1 to 100 characters and no control characters.";
  const inFile = (config.gpts ?? []).some((gpt) => gpt.key === key);
  if (!inFile && (await engine.gpts.list()).some((gpt) => gpt.key === key))
    return `There is already a GPT '${key}'. Remove it first: tacklebox gpt remove ${quoteForShell(key)}`;
  const wrong = tools.find((tool) => !TOOL_MODE.test(tool));
  if (wrong !== undefined) return `--tool ${wrong}: write it as server:tool=always, manual, agent or off.`;
  // Without a config it is unknown which servers there will be.
  if (configFile === undefined) return undefined;
  const known = config.servers.map((server) => server.key);
  const isKnown = (tool: string) => !tool.includes(":") || known.some((server) => tool.startsWith(`${server}:`));
  const unknown =
    servers.find((server) => !known.includes(server)) ?? [...tools, ...trusted].find((tool) => !isKnown(tool));
  if (unknown === undefined) return undefined;
  const name = servers.includes(unknown) ? unknown : unknown.slice(0, unknown.indexOf(":"));
  return `${configFile}\nNo server is named "${name}". Servers: ${known.join(", ") || "none"}`;
}

const TOOL_MODE = /^(.+:.+)=(always|manual|agent|off)$/;
const MODES = ["always", "manual", "agent", "off"] as const satisfies readonly (IncludeMode | "off")[];

function toGpt(options: GptAddOptions, instructions: string): Gpt {
  const { key, name, description, model, servers, tools, trusted, approval } = options;
  const modes = tools.flatMap((tool): [string, IncludeMode | "off"][] => {
    const [, ref = "", written] = TOOL_MODE.exec(tool) ?? [];
    const mode = MODES.find((one) => one === written);
    return mode === undefined ? [] : [[ref, mode]];
  });
  return {
    key,
    name: name ?? key,
    ...(description === undefined ? {} : { description }),
    instructions,
    ...(model === undefined ? {} : { model }),
    ...(servers.length === 0 ? {} : { servers }),
    tools: Object.fromEntries(modes),
    approval,
    trustedTools: trusted,
  };
}
