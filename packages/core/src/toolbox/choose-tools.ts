import type { Gpt } from "../domain/gpt.ts";
import type { Session } from "../domain/session.ts";
import { createToolbox, type RegisteredTool, type Toolbox, toToolKey } from "../domain/tool.ts";

/**
 * The part of the toolbox one session may use, each tool with the include mode that holds there; `manual` then means
 * that a person put it in. What is left out does not exist for the session (T25).
 */
export function chooseTools(toolbox: Toolbox, gpt: Gpt | undefined, choices: Session["tools"] = {}): Toolbox {
  const tools = new Map<string, RegisteredTool>();
  for (const [shownName, tool] of toolbox.tools) {
    const chosen = choose(tool, gpt, choices);
    if (chosen !== undefined) tools.set(shownName, chosen);
  }
  return createToolbox(tools, toolbox.hidden);
}

function choose(
  tool: RegisteredTool,
  gpt: Gpt | undefined,
  choices: NonNullable<Session["tools"]>,
): RegisteredTool | undefined {
  const key = toToolKey(tool.ref);
  const choice = choices[key];
  if (choice === "out" || isBarred(tool, gpt)) return undefined;
  if (choice === "in") return { ...tool, include: "manual" };
  const said = saidBy(gpt, tool);
  const chosen: RegisteredTool =
    said === undefined || said === "off" ? tool : { ...tool, include: said, includeBy: "tool" };
  return chosen.include === "manual" ? undefined : chosen;
}

/** Whether the assistant never uses this tool. Nobody can put it into a session of that assistant either. */
export function isBarred(tool: RegisteredTool, gpt: Gpt | undefined): boolean {
  if (saidBy(gpt, tool) === "off") return true;
  const { ref } = tool;
  return gpt?.servers !== undefined && ref.scope !== "session" && !gpt.servers.includes(ref.server);
}

/** Whoever brought a server to the session chose its tools (S3.9): a GPT speaks of servers of ours that may share its name. */
function saidBy(gpt: Gpt | undefined, { ref }: RegisteredTool): Gpt["tools"][string] | undefined {
  return ref.scope === "session" ? undefined : gpt?.tools[toToolKey(ref)];
}

/** A bare name counts only while one tool has it: otherwise any server could claim a trusted name (D.22). */
export function isTrusted(gpt: Gpt | undefined, { ref }: RegisteredTool, toolbox: Toolbox): boolean {
  // What an editor brought is trusted to be offered, not to be called, whatever it is named (D.9).
  if (gpt === undefined || ref.scope === "session") return false;
  if (gpt.trustedTools.includes(toToolKey(ref))) return true;
  if (!gpt.trustedTools.includes(ref.name)) return false;
  const namesakes = [...toolbox.servers.values()].filter((own) => own.has(ref.name));
  return namesakes.length === 1;
}
