import { z } from "zod";

// The schemas of RFC-009 under its own names (S1.4 to S1.13, S1.33). They describe what this interface takes and
// returns. Real servers send more than they allow, and the engine keeps all of that.

const Moment = z.iso.datetime({ offset: true });
const Texts = z.record(z.string(), z.string());

export const MCPTransportTypeSchema = z.enum(["stdio", "http", "sse"]);

const AuthenticationSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("none") }),
  z.object({ type: z.literal("bearer"), token: z.string() }),
  z.object({ type: z.literal("api-key"), key: z.string(), header: z.string().default("x-api-key") }),
  z.object({ type: z.literal("basic"), username: z.string(), password: z.string() }),
]);

/** Refuses a transport without the fields it needs, and any URL that is not http(s). */
export const MCPServerConfigSchema = z
  .object({
    id: z.uuid(),
    name: z.string().min(1).max(100),
    description: z.string().optional(),
    transport: MCPTransportTypeSchema,
    command: z.string().optional(),
    args: z.array(z.string()).optional(),
    env: Texts.optional(),
    url: z.url({ protocol: /^https?$/ }).optional(),
    headers: Texts.optional(),
    authentication: AuthenticationSchema.default({ type: "none" }),
    timeout: z.number().min(1_000).max(300_000).default(30_000),
    retryAttempts: z.number().min(0).max(5).default(3),
    enabled: z.boolean().default(true),
    lastConnectedAt: Moment.optional(),
    createdAt: Moment,
    updatedAt: Moment,
  })
  .superRefine(({ transport, command, url }, context) => {
    if (transport === "stdio" && !command)
      context.addIssue({ code: "custom", path: ["command"], message: "stdio needs a command" });
    if (transport !== "stdio" && !url)
      context.addIssue({ code: "custom", path: ["url"], message: `${transport} needs a url` });
  });
export type MCPServerConfig = z.infer<typeof MCPServerConfigSchema>;

/** The part of JSON Schema that a form can be generated from. Other keywords are kept. */
export interface JSONSchemaProperty {
  type: "string" | "number" | "integer" | "boolean" | "array" | "object";
  description?: string | undefined;
  enum?: unknown[] | undefined;
  default?: unknown;
  items?: JSONSchemaProperty | undefined;
  properties?: Record<string, JSONSchemaProperty> | undefined;
  required?: string[] | undefined;
}

export const JSONSchemaPropertySchema: z.ZodType<JSONSchemaProperty> = z.looseObject({
  type: z.enum(["string", "number", "integer", "boolean", "array", "object"]),
  description: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  default: z.unknown().optional(),
  get items() {
    return JSONSchemaPropertySchema.optional();
  },
  get properties() {
    return z.record(z.string(), JSONSchemaPropertySchema).optional();
  },
  required: z.array(z.string()).optional(),
});

/** Properties are not checked against the schema above, which would refuse or strip the schemas of real servers. */
export const MCPToolSchema = z.object({
  name: z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_-]*$/),
  description: z.string().optional(),
  inputSchema: z.looseObject({
    type: z.literal("object"),
    properties: z.record(z.string(), z.unknown()).optional(),
    required: z.array(z.string()).optional(),
  }),
});
export type MCPTool = z.infer<typeof MCPToolSchema>;

export const MCPResourceSchema = z.object({
  uri: z.string(),
  name: z.string(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
});
export type MCPResource = z.infer<typeof MCPResourceSchema>;

export const MCPPromptSchema = z.object({
  name: z.string(),
  description: z.string().optional(),
  arguments: z
    .array(z.object({ name: z.string(), description: z.string().optional(), required: z.boolean().optional() }))
    .optional(),
});

export const MCPServerCapabilitiesSchema = z.object({
  tools: z.array(MCPToolSchema).default([]),
  resources: z.array(MCPResourceSchema).default([]),
  prompts: z.array(MCPPromptSchema).default([]),
});
export type MCPServerCapabilities = z.infer<typeof MCPServerCapabilitiesSchema>;

export const MCPToolCallSchema = z.object({
  id: z.string(),
  serverId: z.uuid(),
  toolName: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  status: z.enum(["pending", "running", "success", "error"]),
  startedAt: Moment,
  completedAt: Moment.optional(),
  result: z.unknown().optional(),
  error: z.string().optional(),
});
export type MCPToolCall = z.infer<typeof MCPToolCallSchema>;

const RequestId = z.union([z.string(), z.number()]);

export const MCPRequestSchema = z.object({
  jsonrpc: z.literal("2.0"),
  id: RequestId,
  method: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
});

export const MCPResponseSchema = z.object({
  jsonrpc: z.literal("2.0"),
  id: RequestId,
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }).optional(),
});

export const GPTMCPConfigSchema = z.object({
  serverIds: z.array(z.uuid()).default([]),
  toolApproval: z.enum(["auto", "always-ask", "trusted-only"]).default("always-ask"),
  trustedTools: z.array(z.string()).default([]),
});
