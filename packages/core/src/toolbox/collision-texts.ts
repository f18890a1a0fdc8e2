import type { NameConflict } from "../domain/tool.ts";
import { isBuiltIn } from "./naming.ts";
import type { Notice } from "./registration.ts";

/** Why a tool has no shown name, and how it can get one. */
export function hiddenText({ ref, holder }: NameConflict, qualified: string): string {
  const other =
    holder.name === ref.name ? "the tool of the same name" : `the tool '${holder.name}', which looks the same,`;
  return `hidden by ${other} from '${holder.server}'; set toolbox.collisions to qualify to show it as ${qualified}`;
}

/** Warns of two tools with one name; `wasHeld` if one of them had it before the other came. */
export function collisionNotice(conflict: NameConflict, wasHeld: boolean): Notice {
  const { ref, holder } = conflict;
  const key = `collision:${ref.scope}:${ref.server}:${ref.name}:${holder.scope}:${holder.server}`;
  return {
    key,
    level: "warn",
    text: wasHeld || isBuiltIn(holder) || ref.name !== holder.name ? keptText(conflict) : chosenText(conflict),
  };
}

function chosenText({ ref, holder }: NameConflict): string {
  return `Tool '${ref.name}' is offered by '${ref.server}' and by '${holder.server}'; the one from '${holder.server}' is used`;
}

function keptText({ ref, wanted, holder, shownName }: NameConflict): string {
  if (isBuiltIn(holder))
    return `MCP server '${ref.server}' offers a tool '${ref.name}', a name that Tacklebox uses itself; it is shown as '${shownName ?? ""}'`;
  const name = holder.name === ref.name ? `the name '${wanted}'` : `a name that looks like '${holder.name}'`;
  const instead = shownName === undefined ? "has no name and is called with its server" : `is shown as '${shownName}'`;
  return `MCP server '${ref.server}' offers a tool with ${name}, which belongs to '${holder.server}' and stays there; this one ${instead}. If that is not wanted, deny the tool, disable '${ref.server}', or rename or remove '${holder.server}'`;
}
