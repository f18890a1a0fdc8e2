import type { Engine } from "@tacklebox/core";
import type { ConfigReload } from "../../engine/config-reloads.ts";
import { printableLine } from "../../output/printable.ts";
import type { ConversationSettings } from "../conversation-settings.ts";
import { wrapText } from "../markdown/word-wrap.ts";
import type { Screen } from "../terminal/screen.ts";
import type { CallCards } from "../turn/call-cards.ts";

/** The state that slash commands can read and change. */
export interface ChatState {
  readonly engine: Engine;
  readonly screen: Pick<Screen, "paint" | "columns">;
  readonly cards: Pick<CallCards, "describe" | "count">;
  readonly settings: ConversationSettings;
  readonly reloadConfig: () => Promise<ConfigReload>;
}

interface SlashCommand {
  readonly name: string;
  readonly argument?: string;
  readonly summary: string;
  /** Returns the text to print. */
  readonly run: (argument: string, state: ChatState) => Promise<string>;
}

// Commands are loaded when they are first used, since most chats begin without any.
export const SLASH_COMMANDS: readonly SlashCommand[] = [
  {
    name: "tools",
    argument: "[words]",
    summary: "list or find tools; also TOOL, add TOOL, remove TOOL",
    run: async (argument, state) => (await import("./slash-tools.ts")).showTools(argument, state),
  },
  {
    name: "servers",
    summary: "the status of every server",
    run: async (_, state) => (await import("./slash-lists.ts")).listServers(state),
  },
  {
    name: "why",
    argument: "TOOL",
    summary: "why a tool may or may not be called",
    run: async (tool, state) => (await import("./slash-lists.ts")).showExplanation(tool, state),
  },
  {
    name: "show",
    argument: "[N]",
    summary: "one call in full, by its card's number (default: the last)",
    run: async (number, state) => (await import("./slash-lists.ts")).showCall(number, state),
  },
  {
    name: "reconnect",
    argument: "[SERVER]",
    summary: "restart a server, or every server that is down",
    run: async (server, state) => (await import("./slash-control.ts")).reconnect(server, state),
  },
  {
    name: "reload",
    summary: "read the config file again and apply what changed",
    run: async (_, state) => (await import("./slash-control.ts")).reload(state),
  },
  {
    name: "approve",
    argument: "[MODE]",
    summary: "who approves calls: auto, always-ask or trusted-only",
    run: async (mode, state) => (await import("./slash-control.ts")).chooseApproval(mode, state),
  },
  {
    name: "grants",
    argument: "[revoke N]",
    summary: "what you allowed or denied for longer; revoke N undoes it",
    run: async (argument, state) => (await import("./slash-control.ts")).showGrants(argument, state),
  },
  {
    name: "gpt",
    argument: "[KEY]",
    summary: "list the assistants or choose one; none for no assistant",
    run: async (key, state) => (await import("./slash-choices.ts")).chooseGpt(key, state),
  },
  {
    name: "model",
    argument: "[NAME]",
    summary: "list the models or choose one",
    run: async (name, state) => (await import("./slash-choices.ts")).chooseModel(name, state),
  },
  {
    name: "sessions",
    argument: "[N]",
    summary: "list earlier conversations or continue one",
    run: async (wanted, state) => (await import("./slash-choices.ts")).chooseSession(wanted, state),
  },
  {
    name: "fresh",
    summary: "start a new conversation",
    run: async (_, state) => (await import("./slash-choices.ts")).beginSession(state),
  },
  { name: "help", summary: "this list", run: async (_, { screen }) => formatHelp(screen) },
  // Never runs: the chat loop ends first.
  { name: "quit", summary: "leave; Ctrl-D does too", run: async () => "" },
];

export type ParsedInput =
  | { readonly kind: "prompt" }
  | { readonly kind: "quit" }
  | { readonly kind: "command"; readonly command: SlashCommand; readonly argument: string }
  | { readonly kind: "unknown"; readonly message: string };

/** Matches a command, but not a path such as /etc/hosts. */
const COMMAND = /^\/([a-z]*)(?:\s+(.*))?$/s;

export function parseInput(line: string): ParsedInput {
  const [whole, name, argument = ""] = COMMAND.exec(line) ?? [];
  if (whole === undefined) return { kind: "prompt" };
  if (name === "quit" || name === "exit") return { kind: "quit" };
  const command = SLASH_COMMANDS.find((one) => one.name === (name === "" ? "help" : name));
  if (command !== undefined) return { kind: "command", command, argument: argument.trim() };
  return { kind: "unknown", message: `There is no command /${printableLine(name ?? "")}. /help shows them all.` };
}

const KEYS = [
  "Tab completes commands and tools, the Up key brings back earlier lines, Alt-Enter starts a new line.",
  "Ctrl-C cancels what is running; pressed twice, it quits.",
];

function formatHelp({ paint, columns }: ChatState["screen"]): string {
  const width = Math.max(...SLASH_COMMANDS.map((command) => usageOf(command).length));
  const isNarrow = SLASH_COMMANDS.some(({ summary }) => width + 2 + summary.length >= columns());
  const lines = SLASH_COMMANDS.map((command) => {
    const usage = usageOf(command);
    const shown = paint(isNarrow ? usage : usage.padEnd(width), "cyan");
    if (!isNarrow) return `${shown}  ${command.summary}`;
    return `${shown}\n${wrapText([{ text: command.summary }], { paint, columns }, "  ").trimEnd()}`;
  });
  return `${lines.join("\n")}\n\n${KEYS.map((text) => wrapText([{ text }], { paint, columns })).join("")}`;
}

function usageOf({ name, argument }: SlashCommand): string {
  return argument === undefined ? `/${name}` : `/${name} ${argument}`;
}
