import { z } from "zod";
import { checkShape, isMap } from "./check-shape.ts";
import type { DialectReader } from "./dialect.ts";
import { fillVariables } from "./fill-variables.ts";
import { readServerMap } from "./read-server-map.ts";
import { ToolboxFields } from "./server-entry.ts";
import type { DialectRules } from "./to-definition.ts";
import { ALL_TRANSPORTS } from "./to-launch.ts";
import { toToolboxSettings } from "./to-toolbox-settings.ts";

/** The top of `tacklebox.yaml`. `models` and `gpts` are only checked to be maps: other readers know what is in them. */
const NativeRoot = z.strictObject({
  $schema: z.unknown().optional(),
  toolbox: z.unknown().optional(),
  servers: z.unknown().optional(),
  models: z.record(z.string(), z.unknown(), { error: "must be a map" }).nullish(),
  gpts: z.record(z.string(), z.unknown(), { error: "must be a map" }).nullish(),
});

const RULES: DialectRules = {
  launch: {
    transports: ALL_TRANSPORTS,
    advice: ". Use one of: stdio, http, streamable-http, sse",
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
  // The names as written, so that a server with a problem of its own does not make its tools look unbound.
  const names = isMap(root.servers) ? Object.keys(root.servers) : [];
  return { servers, toolbox: toToolboxSettings(fields, names, ["toolbox"], context.report) };
};
