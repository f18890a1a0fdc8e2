import type { Gpt } from "../domain/gpt.ts";
import type { Session, ToolChoice } from "../domain/session.ts";
import { type Toolbox, toToolKey } from "../domain/tool.ts";
import { suggestion } from "../text/nearest-name.ts";
import { isBarred } from "./choose-tools.ts";
import { findTool } from "./find-tool.ts";

/** What a choice of a person is made in. */
export interface ChoiceContext {
  /** Everything there is, before anybody chose. */
  readonly toolbox: Toolbox;
  readonly gpt: Gpt | undefined;
  readonly tools: Session["tools"];
}

export type ToolNaming =
  | { readonly kind: "named"; readonly key: string }
  | { readonly kind: "refused"; readonly code: "not-found" | "denied"; readonly message: string };

/** Which tool is meant by a shown name or `server:tool`. One that is gone still counts where it was chosen before. */
export function nameTool(name: string, choice: ToolChoice | undefined, context: ChoiceContext): ToolNaming {
  const { toolbox, gpt, tools = {} } = context;
  const tool = findTool(name, toolbox);
  if (tool === undefined) {
    if (Object.hasOwn(tools, name)) return { kind: "named", key: name };
    const hint = suggestion(name, [...toolbox.tools.keys()]) || " Tools go by their shown name, or as server:tool";
    return { kind: "refused", code: "not-found", message: `There is no tool '${name}' here.${hint}` };
  }
  if (choice === "in" && isBarred(tool, gpt))
    return {
      kind: "refused",
      code: "denied",
      message: `GPT '${gpt?.key ?? ""}' never uses the tool '${name}'. Change the GPT first`,
    };
  return { kind: "named", key: toToolKey(tool.ref) };
}

/** Choices by `server:tool`; a text says what is wrong with one of them. */
export function nameChoices(
  written: NonNullable<Session["tools"]>,
  context: ChoiceContext,
): NonNullable<Session["tools"]> | string {
  const choices: Record<string, ToolChoice> = {};
  for (const [name, choice] of Object.entries(written)) {
    const naming = nameTool(name, choice, context);
    if (naming.kind === "refused") return naming.message;
    choices[naming.key] = choice;
  }
  return choices;
}
