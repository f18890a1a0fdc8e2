import * as z from "zod/mini";
import type { Gpt } from "../../domain/gpt.ts";
import { suggestion } from "../../text/nearest-name.ts";
import type { ReadContext } from "../dialects/dialect.ts";
import { checkShape, isMap } from "../document/check-shape.ts";
import { type Path, shown } from "../document/path.ts";
import type { Report } from "../document/report.ts";
import { fillVariables } from "../fill-variables.ts";
import { NameList, NonEmptyText, oneOf, Text } from "./fields.ts";
import { checkName } from "./to-definition.ts";

/** One entry of `gpts` (S1.33). */
export const GptFields = z.strictObject(
  {
    name: z.nullish(NonEmptyText),
    description: z.nullish(Text),
    instructions: z.nullish(Text),
    model: z.nullish(NonEmptyText),
    servers: z.nullish(NameList),
    tools: z.nullish(
      z.record(z.string(), oneOf(["always", "manual", "agent", "off"]), {
        error: "must be a map of tools, written server:tool, to always, manual, agent or off",
      }),
    ),
    approval: z.nullish(oneOf(["auto", "always-ask", "trusted-only"])),
    trusted_tools: z.nullish(NameList),
  },
  { error: "must be a map that describes one GPT" },
);
type GptFields = z.infer<typeof GptFields>;

/** What somebody is asked about who said nothing: everything (S1.33). */
export const DEFAULT_GPT_APPROVAL = "always-ask";

/** What a GPT may name, as far as the file tells. */
export interface KnownNames {
  readonly servers: readonly string[];
  /** By name and by vendor's id. Undefined when the file lists no models: then the machine decides what there is. */
  readonly models: readonly string[] | undefined;
}

/** There without being written anywhere: those of the environment, and the one built in. */
const UNWRITTEN_MODELS = ["openai", "anthropic", "demo"];

export function readGpts(written: unknown, known: KnownNames, { env, report }: ReadContext): Gpt[] {
  if (!isMap(written)) return [];
  return Object.entries(written).flatMap(([key, entry]) => {
    const path = ["gpts", key];
    checkName("A GPT's key", key, path, report);
    const filled = fillVariables(entry, path, { env, usedBy: `GPT '${shown(key)}'` }, report);
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
  const gpt = `GPT '${shown(key)}'`;
  const problem = (at: Path, text: string, where?: "key") => report.problem([...path, ...at], `${gpt} ${text}`, where);
  const unknownServer = (name: string) =>
    `'${shown(name)}', which is not a server here.${suggestion(name, known.servers)}`;

  if (fields.model && !isKnownModel(fields.model, known.models)) {
    const advice = suggestion(fields.model, known.models ?? []) || " Add it under 'models'";
    problem(["model"], `uses the model '${shown(fields.model)}', which is not one of this file.${advice}`);
  }
  for (const [index, name] of (fields.servers ?? []).entries())
    if (!known.servers.includes(name)) problem(["servers", index], `uses ${unknownServer(name)}`);
  for (const tool of Object.keys(fields.tools ?? {})) {
    if (isOfServer(tool, known.servers)) continue;
    const text = tool.includes(":")
      ? `names the tool '${shown(tool)}' of ${unknownServer(serverIn(tool))}`
      : `names the tool '${shown(tool)}' without its server; write server:tool`;
    problem(["tools", tool], text, "key");
  }
  for (const [index, tool] of (fields.trusted_tools ?? []).entries())
    if (tool.includes(":") && !isOfServer(tool, known.servers))
      problem(["trusted_tools", index], `trusts the tool '${shown(tool)}' of ${unknownServer(serverIn(tool))}`);
}

/** As --model does: a name, a vendor's id, or another model of the same vendor and key as `name/id`. */
function isKnownModel(name: string, models: readonly string[] | undefined): boolean {
  if (models === undefined) return true;
  const names = [...models, ...UNWRITTEN_MODELS];
  return names.some((known) => name === known || (name.startsWith(`${known}/`) && name.length > known.length + 1));
}

/** A server's name may hold a colon itself. */
function isOfServer(tool: string, servers: readonly string[]): boolean {
  return servers.some((server) => tool.startsWith(`${server}:`) && tool.length > server.length + 1);
}

function serverIn(tool: string): string {
  return tool.slice(0, tool.indexOf(":"));
}
