import type { AvailableCommand } from "@agentclientprotocol/sdk";
import type { Engine, RunRequest } from "@tacklebox/core";
import type { ConfigReload } from "../../engine/config-reloads.ts";
import { describeReload } from "../../output/reports/reload-report.ts";
import { toPromptParts } from "../prompt-parts.ts";
import { RpcError } from "../rpc/rpc-error.ts";
import { fillArguments, type PromptCommand, toAvailableCommand, toPromptCommands } from "./prompt-commands.ts";
import { describeServers, describeTools, describeWhy } from "./status-text.ts";

type Prompt = RunRequest["prompt"];

/** The result of a typed line: an answer of ours, or a prompt for the model. */
export type Typed =
  | { readonly kind: "answer"; readonly text: string }
  | { readonly kind: "prompt"; readonly prompt: Prompt };

export interface SlashCommands {
  /** Asks the servers for their prompts. Returns true if the commands have changed. */
  refresh(signal: AbortSignal): Promise<boolean>;
  list(): AvailableCommand[];
  /** Answers a command of our own, without waiting for servers to start. Undefined for any other input. */
  answer(prompt: Prompt, signal: AbortSignal): Promise<string | undefined>;
  /** Replaces the name of a server's prompt by that prompt. Passes anything else on unchanged. */
  fill(prompt: Prompt, signal: AbortSignal): Promise<Typed>;
}

export interface SlashCommandsDeps {
  readonly engine: Engine;
  readonly sessionId: string;
  /** The editor's server entries that could not be parsed, and a config file that is not used. */
  readonly problems: readonly string[];
  readonly reloadConfig: () => Promise<ConfigReload>;
}

const OWN: AvailableCommand[] = [
  {
    name: "mcp",
    description: "The status of every MCP server of this session; `/mcp reconnect NAME` restarts one",
    input: { hint: "[reconnect NAME]" },
  },
  { name: "tools", description: "This session's tools, or those that match your words", input: { hint: "[words]" } },
  { name: "reload", description: "Read the config file again and apply what changed" },
  { name: "why", description: "Why a tool may or may not be called", input: { hint: "TOOL" } },
];

/** Our own commands, plus one for every prompt that servers offer. */
export function createSlashCommands({ engine, sessionId, problems, reloadConfig }: SlashCommandsDeps): SlashCommands {
  const within = { sessionId };
  let prompts: readonly PromptCommand[] = [];

  async function answerMcp(typed: string, signal: AbortSignal): Promise<string> {
    const server = /^reconnect\s+(.+)$/.exec(typed)?.[1]?.trim();
    if (server !== undefined) {
      await engine.servers.disconnect(server, within);
      const connected = await engine.servers.connect(server, { ...within, signal });
      if (connected.kind === "failed") return `**${server}** could not be connected: ${connected.failure.message}`;
    }
    return describeServers(await engine.servers.list(within), problems);
  }

  async function answerOwn(name: string, typed: string, signal: AbortSignal): Promise<string | undefined> {
    if (name === "mcp") return answerMcp(typed, signal);
    if (name === "tools")
      return describeTools(await engine.tools.list(within), typed, await engine.servers.list(within));
    if (name === "reload") return describeReload(await reloadConfig());
    if (name !== "why") return undefined;
    return typed === ""
      ? "Name a tool: /why TOOL"
      : describeWhy(typed, await engine.tools.explain(typed, undefined, within));
  }

  async function fetchPrompt(command: PromptCommand, typed: string, signal: AbortSignal): Promise<Typed> {
    const filled = fillArguments(command, typed);
    if (filled.kind === "incomplete") return { kind: "answer", text: filled.message };
    const { server, prompt } = command;
    const fetched = await engine.servers.getPrompt(server, prompt.name, filled.values, { ...within, signal });
    if (fetched.kind === "failed")
      return { kind: "answer", text: `/${command.name} failed: ${fetched.failure.message}` };
    try {
      return { kind: "prompt", prompt: toPromptParts(fetched.value.messages.map(({ content }) => content)) };
    } catch (error) {
      // The invalid prompt is the server's; the editor's request is fine.
      if (!(error instanceof RpcError)) throw error;
      return { kind: "answer", text: `/${command.name} failed: ${error.message}` };
    }
  }

  return {
    list: () => [...OWN, ...prompts.map(toAvailableCommand)],
    async refresh(signal) {
      const before = JSON.stringify(prompts);
      prompts = toPromptCommands(await engine.servers.offers(undefined, { ...within, signal }));
      return JSON.stringify(prompts) !== before;
    },
    async answer([first], signal) {
      const { name, typed } = readCommand(first);
      return name === undefined ? undefined : answerOwn(name, typed.trim(), signal);
    },
    async fill(prompt, signal) {
      const [first, ...others] = prompt;
      const { name, typed } = readCommand(first);
      const command = prompts.find((candidate) => candidate.name === name);
      if (command === undefined) return { kind: "prompt", prompt };
      const fetched = await fetchPrompt(command, typed, signal);
      return fetched.kind === "answer" ? fetched : { kind: "prompt", prompt: [...fetched.prompt, ...others] };
    },
  };
}

function readCommand(first: Prompt[number] | undefined): { readonly name: string | undefined; readonly typed: string } {
  const text = first?.type === "text" ? first.text.trim() : "";
  const [, name, typed = ""] = /^\/(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
  return { name, typed };
}
