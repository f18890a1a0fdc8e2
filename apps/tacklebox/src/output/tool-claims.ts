import { isJsonObject, type JsonObject } from "@tacklebox/core";
import { printableLine } from "./printable.ts";
import { cutToWidth } from "./text-width.ts";

/** What a server says its tool does. Nothing checks it, so it is always told as the server's own words. */
export interface ToolClaims {
  readonly text: string;
  /** The server itself warns that the tool may destroy data. */
  readonly isWarning: boolean;
}

const MAX_TITLE = 60;

/** Reads the claims from a tool's definition as the server sent it. */
export function toolClaims({ name, title, annotations }: JsonObject): ToolClaims {
  const hints = isJsonObject(annotations) ? annotations : {};
  const isWarning = hints.destructiveHint === true && hints.readOnlyHint !== true;
  const named = [title, hints.title].find((one) => typeof one === "string" && one.trim() !== "" && one !== name);
  const says = [...effectClaims(hints, isWarning), ...(hints.openWorldHint === true ? [REACHES_OUT] : [])];
  const calls =
    typeof named === "string" ? ` calls it "${printableLine(cutToWidth(named.trim(), MAX_TITLE))}" and` : "";
  if (says.length === 0) return { text: `The server${calls} does not say whether it writes.`, isWarning };
  const unsaid = says.length === 1 && says[0] === REACHES_OUT ? ", but not whether it writes" : "";
  return { text: `The server${calls} says it ${says.join(" and ")}${unsaid}.`, isWarning };
}

const REACHES_OUT = "reaches out to other systems";

/** `destructiveHint` and `idempotentHint` mean nothing for a tool that only reads. */
function effectClaims({ readOnlyHint, destructiveHint, idempotentHint }: JsonObject, isWarning: boolean): string[] {
  if (readOnlyHint === true) return ["only reads"];
  const repeatable = idempotentHint === true ? " (repeating it changes nothing more)" : "";
  if (isWarning) return [`may destroy data${repeatable}`];
  if (destructiveHint === false) return [`changes things but destroys no data${repeatable}`];
  return readOnlyHint === false ? [`changes things${repeatable}`] : [];
}
