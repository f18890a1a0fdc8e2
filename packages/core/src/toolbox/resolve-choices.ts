import type { Gpt } from "../domain/gpt.ts";
import type { Session, ToolChoice } from "../domain/session.ts";
import { type Toolbox, toToolKey } from "../domain/tool.ts";
import { suggestion } from "../text/nearest-name.ts";
import { isBarred } from "./choose-tools.ts";
import { findTool } from "./find-tool.ts";

/** What a person's choice of tools is resolved against. */
export interface ChoiceContext {
  /** All tools, before any choice. */
  readonly toolbox: Toolbox;
  readonly gpt: Gpt | undefined;
  readonly tools: Session["tools"];
}

export type ChoiceResolution =
  | { readonly kind: "resolved"; readonly key: string }
  | { readonly kind: "refused"; readonly code: "not-found" | "denied"; readonly message: string };

/** Finds the tool for a shown name or `server:tool`. A tool that is gone still resolves if it was chosen before. */
export function resolveChoice(name: string, choice: ToolChoice | undefined, context: ChoiceContext): ChoiceResolution {
  const { toolbox, gpt, tools = {} } = context;
  const tool = findTool(name, toolbox);
  if (tool === undefined) {
    if (Object.hasOwn(tools, name)) return { kind: "resolved", key: name };
    const hint = suggestion(name, [...toolbox.tools.keys()]) || " Tools go by their shown name, or as server:tool";
    return { kind: "refused", code: "not-found", message: `There is no tool '${name}' here.${hint}` };
  }
  if (choice === "in" && isBarred(tool, gpt))
    return {
      kind: "refused",
      code: "denied",
      message: `GPT '${gpt?.key ?? ""}' never uses the tool '${name}'. Change the GPT first`,
    };
  return { kind: "resolved", key: toToolKey(tool.ref) };
}

/** Resolves all choices to `server:tool` keys; returns an error message if one of them is refused. */
export function resolveChoices(
  written: NonNullable<Session["tools"]>,
  context: ChoiceContext,
): NonNullable<Session["tools"]> | string {
  const choices: Record<string, ToolChoice> = {};
  for (const [name, choice] of Object.entries(written)) {
    const resolution = resolveChoice(name, choice, context);
    if (resolution.kind === "refused") return resolution.message;
    choices[resolution.key] = choice;
  }
  return choices;
}
