import type { NameConflict, ToolboxSettings } from "../../domain/tool.ts";
import type { Notice } from "../registration.ts";
import { isBuiltIn, type Loss, MAX_HELD_NAMES } from "./naming.ts";
import { toQualifiedShownName } from "./shown-name.ts";

type WrittenSettings = Pick<ToolboxSettings, "collisions" | "writtenAs">;

/** Why a tool has no shown name, and how it can get one. */
export function hiddenText({ ref, holder }: NameConflict, qualified: string, { writtenAs }: WrittenSettings): string {
  const other =
    holder.name === ref.name ? "the tool of the same name" : `the tool '${holder.name}', which looks the same,`;
  return `hidden by ${other} from '${holder.server}'; to show it as ${qualified}, set ${writtenAs}.collisions to qualify`;
}

/** Warns of two tools with one name, or of a tool whose name begins with another server's. */
export function collisionNotice(
  conflict: NameConflict,
  { wasHeld, isReserved }: Loss,
  settings: WrittenSettings,
): Notice {
  const { ref, holder, shownName } = conflict;
  const key = `collision:${ref.scope}:${ref.server}:${ref.name}:${holder.scope}:${holder.server}`;
  return {
    key,
    level: "warn",
    text: `${
      wasHeld || isBuiltIn(holder) || ref.name !== holder.name ? keptText(conflict, isReserved) : chosenText(conflict)
    }${shownName === undefined && settings.collisions === "hide" ? qualifyText(conflict, settings) : ""}`,
  };
}

export function tooManyNamesText(server: string): string {
  return `The tools of MCP server '${server}' have had ${MAX_HELD_NAMES} names, which are kept for them; further ones are shown as '${server}__…'. If its tools keep changing names, disable it or ask its maker why. Removing or renaming the server frees the names`;
}

function chosenText({ ref, holder }: NameConflict): string {
  return `Tool '${ref.name}' is offered by '${ref.server}' and by '${holder.server}'; the one from '${holder.server}' is used`;
}

/** How a tool that has no name gets one. */
function qualifyText({ ref }: NameConflict, { writtenAs }: WrittenSettings): string {
  const qualified = toQualifiedShownName(ref.server, ref.name);
  return `. To show the one from '${ref.server}' as '${qualified}', set ${writtenAs}.collisions to qualify`;
}

function keptText({ ref, wanted, holder, shownName }: NameConflict, isReserved: boolean): string {
  if (isBuiltIn(holder))
    return `MCP server '${ref.server}' offers a tool '${ref.name}', a name that Tacklebox uses itself; it is shown as '${shownName ?? ""}'`;
  const name = holder.name === ref.name ? `the name '${wanted}'` : `a name that looks like '${holder.name}'`;
  if (isReserved)
    return `MCP server '${ref.server}' offers a tool '${ref.name}', a name that is kept for the tools of '${holder.server}'; it ${insteadText(shownName)}`;
  return `MCP server '${ref.server}' offers a tool with ${name}, which belongs to '${holder.server}' and stays there; this one ${insteadText(shownName)}. If that is not wanted, deny the tool, disable '${ref.server}', or rename or remove '${holder.server}'`;
}

function insteadText(shownName: string | undefined): string {
  return shownName === undefined ? "has no name and is called with its server" : `is shown as '${shownName}'`;
}
