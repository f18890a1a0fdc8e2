import type { ToolboxSettings } from "../../domain/tool.ts";
import { checkShape } from "../document/check-shape.ts";
import { ToolboxFields } from "../entries/server-entry.ts";
import { toToolboxSettings } from "../entries/to-toolbox-settings.ts";
import { fillVariables } from "../fill-variables.ts";
import type { ReadContext } from "./dialect.ts";

const PATH = ["toolbox"];

/** Reads the key `toolbox`. `servers` are the names as written, so that a broken server does not unbind its tools. */
export function readToolboxKey(
  { toolbox }: Readonly<Record<string, unknown>>,
  servers: readonly string[],
  { env, report }: ReadContext,
): { readonly fields: ToolboxFields; readonly settings: ToolboxSettings } {
  const filled = fillVariables(toolbox ?? {}, PATH, { env, usedBy: "the toolbox" }, report);
  const fields = checkShape(ToolboxFields, filled, PATH, report) ?? {};
  return { fields, settings: toToolboxSettings(fields, servers, PATH, report) };
}
