import * as z from "zod/mini";
import { CUSTOM_SERVER } from "../../domain/server.ts";
import { checkShape, isMap } from "../document/check-shape.ts";
import { readCallLog } from "../entries/read-call-log.ts";
import { checkCustomNames, readCustomTools } from "../entries/read-custom-tools.ts";
import { readGpts } from "../entries/read-gpts.ts";
import { readModels } from "../entries/read-models.ts";
import type { DialectRules } from "../entries/to-definition.ts";
import type { DialectReader } from "./dialect.ts";
import { readServerMap } from "./read-server-map.ts";
import { readToolboxKey } from "./read-toolbox-key.ts";

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
  const written = isMap(root.servers) ? Object.keys(root.servers) : [];
  const custom = readCustomTools(root.custom_tools, context);
  const names = root.custom_tools ? [...written, CUSTOM_SERVER] : written;
  const { fields, settings: toolbox } = readToolboxKey(root, names, context);
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
