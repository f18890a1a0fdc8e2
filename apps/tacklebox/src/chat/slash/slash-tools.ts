import { countOf, type RegisteredTool, type ToolChoice } from "@tacklebox/core";
import { printableJson, printableLine } from "../../output/printable.ts";
import { formatTable } from "../../output/table.ts";
import { cutToWidth, firstLine } from "../../output/text-width.ts";
import type { ChatState } from "./slash-commands.ts";

const MAX_FOUND = 20;
/** Below this width a table has no room for descriptions. */
const NARROW = 60;
const CHOICE = /^(add|remove)\s+(\S+)$/;

/** Shows every tool or those that match the words, or adds a tool to the conversation or removes one. */
export async function showTools(argument: string, state: ChatState): Promise<string> {
  const { engine } = state;
  const all = await engine.tools.list();
  if (all.length === 0) return "There are no tools yet. /servers shows why.\n";
  if (argument === "") return formatTools(all, state);
  const exact = all.find(({ shownName }) => shownName === argument);
  if (exact !== undefined) return formatDefinition(exact);
  const [, verb, name] = CHOICE.exec(argument) ?? [];
  const changed = name === undefined ? undefined : await chooseTool(name, verb === "add" ? "in" : "out", state);
  if (changed?.kind === "done") return changed.text;
  const found = (await engine.tools.search(argument, { limit: MAX_FOUND })).map(({ tool }) => tool);
  if (found.length > 0) return `${changed?.text ?? ""}${formatTools(found, state)}`;
  return changed?.text ?? `${printableLine(`None of ${countOf(all.length, "tool")} matches '${argument}'.`)}\n`;
}

/** All that the server says about the tool, as it says it. */
function formatDefinition({ shownName, ref, tool }: RegisteredTool): string {
  const title = printableLine(`${shownName}, from '${ref.server}'`);
  return `${title}\n${printableJson(JSON.stringify(tool.raw, undefined, 2))}\n`;
}

/** Before there is a session, the choice is sent with the prompt that creates one. */
async function chooseTool(
  name: string,
  choice: ToolChoice,
  { engine, settings }: ChatState,
): Promise<{ readonly kind: "done" | "refused"; readonly text: string }> {
  const done = choice === "in" ? "is part of every request from now on" : "is left out of this conversation";
  const line = (text: string) => `${printableLine(text)}\n`;
  if (settings.sessionId === undefined) {
    const tools = await engine.tools.list();
    if (!tools.some(({ shownName, ref }) => shownName === name || `${ref.server}:${ref.name}` === name))
      return { kind: "refused", text: line(`There is no tool '${name}' here.`) };
    settings.tools = { ...settings.tools, [name]: choice };
    return { kind: "done", text: line(`${name} ${done}.`) };
  }
  const answer = await engine.sessions.setTool(settings.sessionId, name, choice);
  if (answer.kind === "failed") return { kind: "refused", text: line(answer.failure.message) };
  return { kind: "done", text: line(`${name} ${done}.`) };
}

function formatTools(tools: readonly RegisteredTool[], { screen }: ChatState): string {
  const { paint } = screen;
  const columns = screen.columns() - 1;
  if (columns >= NARROW) {
    const rows = tools.map(({ shownName, ref, tool }) => [
      { text: shownName, colour: "cyan" as const },
      ref.server,
      firstLine(tool.description),
    ]);
    return formatTable(["TOOL", "SERVER", "DESCRIPTION"], rows, { paint, columns });
  }
  const lines = tools.map(({ shownName, tool }) => {
    const name = paint(cutToWidth(printableLine(shownName), columns), "cyan");
    return `${name}\n  ${cutToWidth(printableLine(firstLine(tool.description)), columns - 2)}\n`;
  });
  return lines.join("");
}
