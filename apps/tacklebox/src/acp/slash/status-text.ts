import type { RegisteredTool, ServerView, ToolExplanation } from "@tacklebox/core";
import { printableLine } from "../../output/printable.ts";

/** Describes the status of every server of a session, as Markdown. */
export function describeServers(servers: readonly ServerView[], problems: readonly string[]): string {
  const shown = servers.filter(({ scope }) => scope !== "local");
  const lines = [...shown.map(serverLine), ...problems.map((problem) => `- not usable: ${printableLine(problem)}`)];
  if (lines.length === 0) return "There are no MCP servers in this session.";
  const failed = shown.find(({ status }) => status === "error");
  const advice = failed === undefined ? "" : `\n\nTry again with: /mcp reconnect ${failed.key}`;
  return `${lines.join("\n")}${advice}`;
}

function serverLine({ key, scope, status, cause, toolCount, info }: ServerView): string {
  const from = scope === "session" ? "from the editor" : "from the config";
  const tools = status === "connected" ? `, ${toolCount} ${toolCount === 1 ? "tool" : "tools"}` : "";
  const protocol = info === undefined ? "" : `, ${info.transport} ${info.protocolVersion}`;
  const why = cause === undefined ? "" : `: ${printableLine(cause)}`;
  return `- **${printableLine(key)}** (${from}) ${status}${tools}${protocol}${why}`;
}

/** Lists the tools whose name, server or description contains all words, and the servers that are still connecting. */
export function describeTools(tools: readonly RegisteredTool[], typed: string, servers: readonly ServerView[]): string {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = tools.filter(({ shownName, ref, tool }) => {
    const text = `${shownName} ${ref.server} ${tool.description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const lines = found.map(
    ({ shownName, ref, tool }) => `- **${shownName}** (${printableLine(ref.server)}) ${firstLine(tool.description)}`,
  );
  const none =
    words.length === 0 ? "There are no tools in this session." : `No tool matches '${printableLine(typed)}'.`;
  const awaited = servers.filter(({ status }) => status === "connecting").map(({ key }) => key);
  const more = awaited.length === 0 ? "" : `\n\nStill connecting: ${printableLine(awaited.join(", "))}`;
  return `${lines.length === 0 ? none : lines.join("\n")}${more}`;
}

function firstLine(text: string): string {
  return printableLine(text.trim().split("\n", 1)[0] ?? "");
}

/** Explains why a tool may or may not be called, one line per step. */
export function describeWhy(tool: string, explanations: readonly ToolExplanation[]): string {
  if (explanations.length === 0) return `No server of this session has a tool '${printableLine(tool)}'.`;
  return explanations
    .map(({ server, tool: name, callable, steps }) => {
      const head = `**${printableLine(name)}** of ${printableLine(server)} ${callable ? "can" : "cannot"} be called:`;
      return [head, "", ...steps.map(({ step, text }) => `- ${step}: ${printableLine(text)}`)].join("\n");
    })
    .join("\n\n");
}
