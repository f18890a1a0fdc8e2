import * as z from "zod/mini";
import { CUSTOM_SERVER } from "../../domain/server.ts";
import { checkShape, isMap } from "../document/check-shape.ts";
import { readCallLog } from "../entries/read-call-log.ts";
import { checkCustomNames, readCustomTools } from "../entries/read-custom-tools.ts";
import { readGpts } from "../entries/read-gpts.ts";
import { readModels } from "../entries/read-models.ts";
import { ToolboxFields } from "../entries/server-entry.ts";
import type { DialectRules } from "../entries/to-definition.ts";
import { toToolboxSettings } from "../entries/to-toolbox-settings.ts";
import { fillVariables } from "../fill-variables.ts";
import type { DialectReader } from "./dialect.ts";
import { readServerMap } from "./read-server-map.ts";

/** The top level of `tacklebox.yaml`. Each key has its own reader for what is below it. */
const NativeRoot = z.strictObject({
  $schema: z.optional(z.unknown()),
  toolbox: z.optional(z.unknown()),
  servers: z.optional(z.unknown()),
  calls: z.optional(z.unknown()),
  models: z.nullish(z.record(z.string(), z.unknown(), { error: "must be a map" })),
  gpts: z.nullish(z.record(z.string(), z.unknown(), { error: "must be a map" })),
  custom_tools: z.optional(z.unknown()),
});

const RULES: DialectRules = {
  launch: {
    notation: "native",
    advice: "names to write",
    absent: "infer",
    misplaced: "refuse",
    plainHttp: "warn",
  },
  required: false,
};

export const readNative: DialectReader = (root, context) => {
  checkShape(NativeRoot, root, [], context.report);
  const servers = readServerMap(root.servers, RULES, ["servers"], context);
  const filled = fillVariables(
    root.toolbox ?? {},
    ["toolbox"],
    { env: context.env, usedBy: "the toolbox" },
    context.report,
  );
  const fields = checkShape(ToolboxFields, filled, ["toolbox"], context.report) ?? {};
  // The names as written, so that a server with problems does not make its tools look unbound.
  const written = isMap(root.servers) ? Object.keys(root.servers) : [];
  const custom = readCustomTools(root.custom_tools, context);
  const names = root.custom_tools ? [...written, CUSTOM_SERVER] : written;
  const toolbox = toToolboxSettings(fields, names, ["toolbox"], context.report);
  checkCustomNames(root.custom_tools, written, fields.tools ?? [], context.report);
  const models = readModels(root.models, context);
  const gpts = readGpts(root.gpts, { servers: [...names, "local"], models: modelNames(root.models) }, context);
  return { servers: [...servers, ...custom], toolbox, models, gpts, calls: readCallLog(root.calls, context) };
};

/** The names as written, so that a model with problems does not make references to it look wrong. */
function modelNames(models: unknown): readonly string[] | undefined {
  if (!isMap(models)) return undefined;
  const ids = Object.values(models).flatMap((entry) =>
    isMap(entry) && typeof entry.model === "string" ? [entry.model] : [],
  );
  return [...Object.keys(models), ...ids];
}
