import * as z from "zod/mini";
import { ApprovalMode, IncludeMode } from "../../domain/approval.ts";
import type { Gpt } from "../../domain/gpt.ts";
import { MODEL_VENDORS, VENDOR_RULES } from "../../domain/model.ts";
import { suggestion } from "../../text/nearest-name.ts";
import type { ReadContext } from "../dialects/dialect.ts";
import { checkShape, isMap } from "../document/check-shape.ts";
import { type Path, printable } from "../document/path.ts";
import type { Report } from "../document/report.ts";
import { fillVariables } from "../fill-variables.ts";
import { NameList, NonEmptyText, oneOf, Text } from "./fields.ts";
import { checkName } from "./to-definition.ts";

/** One entry of `gpts`. */
export const GptFields = z.strictObject(
  {
    name: z.nullish(NonEmptyText),
    description: z.nullish(Text),
    instructions: z.nullish(Text),
    model: z.nullish(NonEmptyText),
    servers: z.nullish(NameList),
    tools: z.nullish(
      z.record(z.string(), oneOf([...IncludeMode.options, "off"]), {
        error: "must be a map of tools, written server:tool, to always, manual, agent or off",
      }),
    ),
    approval: z.nullish(oneOf(ApprovalMode.options)),
    trusted_tools: z.nullish(NameList),
  },
  { error: "must be a map that describes one GPT" },
);
type GptFields = z.infer<typeof GptFields>;

/** If a GPT has no approval mode, people are asked about every call (S1.33). */
export const DEFAULT_GPT_APPROVAL = "always-ask";

/** The names a GPT may refer to, as far as the file tells. */
export interface KnownNames {
  readonly servers: readonly string[];
  /** Names and vendor ids. Undefined if the file lists no models: then they depend on the environment. */
  readonly models: readonly string[] | undefined;
}

/** Models that exist without being configured: those of the environment, and the built-in one. */
const UNWRITTEN_MODELS = [...MODEL_VENDORS.filter((vendor) => VENDOR_RULES[vendor].apiKey.kind === "required"), "demo"];

export function readGpts(written: unknown, known: KnownNames, { env, report }: ReadContext): Gpt[] {
  if (!isMap(written)) return [];
  return Object.entries(written).flatMap(([key, entry]) => {
    const path = ["gpts", key];
    checkName("A GPT's key", key, path, report);
    const filled = fillVariables(entry, path, { env, usedBy: `GPT '${printable(key)}'` }, report);
    const fields = checkShape(GptFields, filled, path, report);
    if (fields === undefined) return [];
    checkNames(key, fields, known, path, report);
    return [toGpt(key, fields)];
  });
}

function toGpt(key: string, fields: GptFields): Gpt {
  return {
    key,
    name: fields.name ?? key,
    ...(fields.description ? { description: fields.description } : {}),
    instructions: fields.instructions ?? "",
    ...(fields.model ? { model: fields.model } : {}),
    ...(fields.servers ? { servers: fields.servers } : {}),
    tools: fields.tools ?? {},
    approval: fields.approval ?? DEFAULT_GPT_APPROVAL,
    trustedTools: fields.trusted_tools ?? [],
  };
}

function checkNames(key: string, fields: GptFields, known: KnownNames, path: Path, report: Report): void {
  const gpt = `GPT '${printable(key)}'`;
  const problem = (at: Path, text: string, where?: "key") => report.problem([...path, ...at], `${gpt} ${text}`, where);
  const unknownServer = (name: string) =>
    `'${printable(name)}', which is not a server here.${suggestion(name, known.servers)}`;

  if (fields.model && !isKnownModel(fields.model, known.models)) {
    const advice = suggestion(fields.model, known.models ?? []) || " Add it under 'models'";
    problem(["model"], `uses the model '${printable(fields.model)}', which this file does not define.${advice}`);
  }
  for (const [index, name] of (fields.servers ?? []).entries())
    if (!known.servers.includes(name)) problem(["servers", index], `uses ${unknownServer(name)}`);
  for (const tool of Object.keys(fields.tools ?? {})) {
    if (isOfServer(tool, known.servers)) continue;
    const text = tool.includes(":")
      ? `names the tool '${printable(tool)}' of ${unknownServer(serverIn(tool))}`
      : `names the tool '${printable(tool)}' without its server; write server:tool`;
    problem(["tools", tool], text, "key");
  }
  for (const [index, tool] of (fields.trusted_tools ?? []).entries())
    if (tool.includes(":") && !isOfServer(tool, known.servers))
      problem(["trusted_tools", index], `trusts the tool '${printable(tool)}' of ${unknownServer(serverIn(tool))}`);
}

/** Like --model, accepts a name, a vendor's id, or `name/id` for another model of the same vendor and key. */
function isKnownModel(name: string, models: readonly string[] | undefined): boolean {
  if (models === undefined) return true;
  const names = [...models, ...UNWRITTEN_MODELS];
  return names.some((known) => name === known || (name.startsWith(`${known}/`) && name.length > known.length + 1));
}

/** Tries every server, because a server's name may contain a colon. */
function isOfServer(tool: string, servers: readonly string[]): boolean {
  return servers.some((server) => tool.startsWith(`${server}:`) && tool.length > server.length + 1);
}

function serverIn(tool: string): string {
  return tool.slice(0, tool.indexOf(":"));
}
