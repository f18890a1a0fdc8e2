import type { RegisteredTool, ToolChoice } from "@tacklebox/core";
import { printableLine } from "../output/printable.ts";
import { formatTable } from "../output/table.ts";
import { cutToWidth, firstLine } from "../output/text-width.ts";
import type { ChatState } from "./slash-commands.ts";

const MOST_FOUND = 20;
/** Below this a table has no room for descriptions. */
const NARROW = 60;
const CHOICE = /^(add|remove)\s+(\S+)$/;

/** Every tool, those that fit the words, or one put into the conversation or taken out of it. */
export async function showTools(argument: string, room: ChatState): Promise<string> {
  const { engine } = room;
  const all = await engine.tools.list();
  if (all.length === 0) return "There are no tools yet. /servers shows why.\n";
  if (argument === "") return formatTools(all, room);
  const [, verb, name] = CHOICE.exec(argument) ?? [];
  const changed = name === undefined ? undefined : await chooseTool(name, verb === "add" ? "in" : "out", room);
  if (changed?.kind === "done") return changed.text;
  const found = (await engine.tools.search(argument, { limit: MOST_FOUND })).map(({ tool }) => tool);
  if (found.length > 0) return `${changed?.text ?? ""}${formatTools(found, room)}`;
  return changed?.text ?? `${printableLine(`None of ${all.length} tools fits '${argument}'.`)}\n`;
}

/** Without a session yet, the choice goes with the prompt that begins one. */
async function chooseTool(
  name: string,
  choice: ToolChoice,
  { engine, talk }: ChatState,
): Promise<{ readonly kind: "done" | "refused"; readonly text: string }> {
  const done = choice === "in" ? "is part of every request from now on" : "is out of this conversation";
  const line = (text: string) => `${printableLine(text)}\n`;
  if (talk.sessionId === undefined) {
    const tools = await engine.tools.list();
    if (!tools.some(({ shownName, ref }) => shownName === name || `${ref.server}:${ref.name}` === name))
      return { kind: "refused", text: line(`There is no tool '${name}' here.`) };
    talk.tools = { ...talk.tools, [name]: choice };
    return { kind: "done", text: line(`${name} ${done}.`) };
  }
  const answer = await engine.sessions.setTool(talk.sessionId, name, choice);
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
