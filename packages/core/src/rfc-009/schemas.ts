import { z } from "zod";

// RFC-009's own schemas under its own names. What servers really send is wider than S1.7 and S1.8 allow; the engine
// keeps that whole (D.13, D.14), and these describe what this interface takes and gives.

const Moment = z.iso.datetime({ offset: true });
const Texts = z.record(z.string(), z.string());

/** S1.4 */
export const MCPTransportTypeSchema = z.enum(["stdio", "http", "sse"]);

/** S1.6 */
const AuthenticationSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("none") }),
  z.object({ type: z.literal("bearer"), token: z.string() }),
  z.object({ type: z.literal("api-key"), key: z.string(), header: z.string().default("x-api-key") }),
  z.object({ type: z.literal("basic"), username: z.string(), password: z.string() }),
]);

/** S1.5. A transport without what it needs is refused here already, and so is any address that is not http(s) (T1.11). */
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

/** S1.7: the part of JSON Schema a form can be drawn from. Keywords beyond it are kept. */
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

/** S1.8. The properties are not held against S1.7, which would refuse or strip the schemas of real servers (T1.5). */
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

/** S1.9 */
export const MCPResourceSchema = z.object({
  uri: z.string(),
  name: z.string(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
});
export type MCPResource = z.infer<typeof MCPResourceSchema>;

/** S1.10 */
export const MCPPromptSchema = z.object({
  name: z.string(),
  description: z.string().optional(),
  arguments: z
    .array(z.object({ name: z.string(), description: z.string().optional(), required: z.boolean().optional() }))
    .optional(),
});

/** S1.11 */
export const MCPServerCapabilitiesSchema = z.object({
  tools: z.array(MCPToolSchema).default([]),
  resources: z.array(MCPResourceSchema).default([]),
  prompts: z.array(MCPPromptSchema).default([]),
});
export type MCPServerCapabilities = z.infer<typeof MCPServerCapabilitiesSchema>;

/** S1.12 */
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

/** S1.13 */
export const MCPRequestSchema = z.object({
  jsonrpc: z.literal("2.0"),
  id: RequestId,
  method: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
});

/** S1.13 */
export const MCPResponseSchema = z.object({
  jsonrpc: z.literal("2.0"),
  id: RequestId,
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }).optional(),
});

/** S1.33 */
export const GPTMCPConfigSchema = z.object({
  serverIds: z.array(z.uuid()).default([]),
  toolApproval: z.enum(["auto", "always-ask", "trusted-only"]).default("always-ask"),
  trustedTools: z.array(z.string()).default([]),
});
