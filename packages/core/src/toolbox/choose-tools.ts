import type { Gpt } from "../domain/gpt.ts";
import type { Session } from "../domain/session.ts";
import { createToolbox, type RegisteredTool, type Toolbox, toToolKey } from "../domain/tool.ts";

/**
 * The part of the toolbox that one session may use, each tool with the include mode that applies there; `manual` then
 * means that a person added it. Tools that are left out do not exist for the session (T25).
 */
export function chooseTools(toolbox: Toolbox, gpt: Gpt | undefined, choices: Session["tools"] = {}): Toolbox {
  const among = (all: Toolbox["tools"]) => {
    const tools = new Map<string, RegisteredTool>();
    for (const [shownName, tool] of all) {
      const chosen = choose(tool, gpt, choices);
      if (chosen !== undefined) tools.set(shownName, chosen);
    }
    return tools;
  };
  const { hidden, conflicts, serverNames } = toolbox;
  const nameless = toolbox.nameless.flatMap((tool) => choose(tool, gpt, choices) ?? []);
  const expected = among(toolbox.expected);
  return createToolbox(among(toolbox.tools), hidden, { expected, nameless, conflicts, serverNames });
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
  const gptMode = modeByGpt(gpt, tool);
  const chosen: RegisteredTool =
    gptMode === undefined || gptMode === "off" ? tool : { ...tool, include: gptMode, includeBy: "tool" };
  return chosen.include === "manual" ? undefined : chosen;
}

/** Whether the GPT never uses this tool. It cannot be added to a session of that GPT by hand either. */
export function isBarred(tool: Pick<RegisteredTool, "ref">, gpt: Gpt | undefined): boolean {
  if (modeByGpt(gpt, tool) === "off") return true;
  const { ref } = tool;
  return gpt?.servers !== undefined && ref.scope !== "session" && !gpt.servers.includes(ref.server);
}

/**
 * What the GPT says about a tool. Its settings are for configured servers, not for a session's that share their name.
 */
function modeByGpt(gpt: Gpt | undefined, { ref }: Pick<RegisteredTool, "ref">): Gpt["tools"][string] | undefined {
  return ref.scope === "session" ? undefined : gpt?.tools[toToolKey(ref)];
}

/**
 * Whether the GPT trusts the tool. A bare name counts only if one tool has it, or any server could claim a trusted
 * name.
 */
export function isTrusted(gpt: Gpt | undefined, { ref }: RegisteredTool, toolbox: Toolbox): boolean {
  // Tools of a session's own servers are never trusted, whatever they are named.
  if (gpt === undefined || ref.scope === "session") return false;
  if (gpt.trustedTools.includes(toToolKey(ref))) return true;
  if (!gpt.trustedTools.includes(ref.name)) return false;
  const namesakes = [...toolbox.servers.values()].filter((own) => own.has(ref.name));
  return namesakes.length === 1;
}
