import { printableLine } from "../../output/printable.ts";
import { formatExplanation } from "../../output/reports/explanation-report.ts";
import { SERVER_STATUS_COLOURS } from "../../output/reports/server-report.ts";
import { formatTable } from "../../output/table.ts";
import { describeUnknownTool } from "../../output/unknown-tool.ts";
import { toRunRequest } from "../conversation-settings.ts";
import type { ChatState } from "./slash-commands.ts";

export async function listServers({ engine, screen }: ChatState): Promise<string> {
  const views = await engine.servers.list();
  if (views.length === 0) return "No servers are configured. `tacklebox add` adds one.\n";
  const rows = views.map(({ key, status, toolCount, cause = "" }) => [
    key,
    { text: status, colour: SERVER_STATUS_COLOURS[status] },
    String(toolCount),
    cause.split("\n", 1)[0] ?? "",
  ]);
  const style = { paint: screen.paint, columns: screen.columns() - 1 };
  return formatTable(["SERVER", "STATUS", "TOOLS", "CAUSE"], rows, style);
}

/** Explains what becomes of a call that the model makes in this conversation. */
export async function showExplanation(tool: string, { engine, screen, settings }: ChatState): Promise<string> {
  if (tool === "") return "Name a tool, such as: /why echo. /tools shows what may be called.\n";
  const { sessionId, gpt, approvalMode } = toRunRequest(settings, "");
  const run = { ...(gpt !== undefined && { gpt }), ...(approvalMode !== undefined && { approvalMode }) };
  const explanations = await engine.tools.explain(tool, undefined, {
    run,
    ...(sessionId !== undefined && { sessionId }),
  });
  if (explanations.length === 0) {
    const unknown = await describeUnknownTool(engine, { tool, server: undefined });
    return `${printableLine(`${unknown} /tools shows what may be called.`)}\n`;
  }
  return explanations.map((explanation) => formatExplanation(explanation, screen.paint)).join("\n");
}

export async function showCall(number: string, { cards }: ChatState): Promise<string> {
  if (cards.count() === 0) return "No tool has been called yet.\n";
  const wanted = number === "" ? cards.count() : Number(number);
  return cards.describe(wanted) ?? `There is no call ${printableLine(number)}. There are 1 to ${cards.count()}.\n`;
}
