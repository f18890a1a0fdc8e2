import { describe, expect, it } from "vitest";
import { toJSONSchema } from "zod";
import * as z from "zod/mini";
import * as core from "../index.ts";
import type { ObjectSchema } from "../json/schema.ts";
import { UNGOVERNED } from "./server.ts";

/** A value with every member set, so that an untested member does not go unnoticed. */
function whole<Shape extends z.core.$ZodShape>(
  schema: ObjectSchema<Shape>,
  value: Required<z.infer<ObjectSchema<Shape>>>,
) {
  return { schema, value };
}

const selectedTool = { name: "read_file", server: "files", mode: "agent", score: 0.5 } as const;
const selection = { tools: [selectedTool], left: 1, demoted: 0, capped: 0 };
const text = { type: "text", text: "Hello", vendor: { id: 1 } } as const;
const image = { type: "image", mimeType: "image/png", data: "AAAA" } as const;
const thought = { type: "thought", text: "Well", vendor: { signature: "s" } } as const;
const call = {
  type: "call",
  id: "m1",
  tool: "read_file",
  arguments: { path: "/" },
  unreadable: "{",
  callId: "call-1",
  vendor: {},
} as const;
const answer = { id: "m1", tool: "read_file", text: "…", isError: false, images: [image], callId: "call-1" };
const userMessage = { role: "user", parts: [text, image] } as const;
const assistantMessage = { role: "assistant", parts: [thought, text, call], selection } as const;
const toolMessage = { role: "tool", results: [answer] } as const;
const result = {
  content: [
    { type: "text", text: "…" },
    { type: "hologram", angle: 3 },
  ],
  structuredContent: [1],
  isError: false,
  meta: { "a/b": null },
};
const caller = { door: "acp", client: "An editor", sessionId: "s", principal: "ada" } as const;
const times = { personMs: 1, slotMs: 2, runMs: 3 };
const stdio = { transport: "stdio", command: "files", args: ["-v"], env: { HOME: "/" }, cwd: "/" } as const;
const target = { url: "https://example.org", headers: { a: "b" }, authentication: { type: "none" } } as const;
const remote = { transport: "sse", ...target } as const;
const customTool = { name: "ping", description: "", inputSchema: {}, ...target };
const custom = { transport: "custom", tools: [customTool] } as const;
const toolEntry = {
  name: "read_file",
  server: "files",
  maxInstances: 1,
  timeoutMs: 1_000,
  approval: "ask",
  include: "manual",
  mode: "strict",
} as const;
const definition = {
  ...UNGOVERNED,
  scope: "agent",
  key: "files",
  name: "files",
  description: "",
  launch: stdio,
  defaultToolConfig: { maxInstances: 1, timeoutMs: 1 },
  tools: [toolEntry],
  maxConcurrent: 1,
  rate: { perMinute: 60, burst: 5 },
  approval: "auto",
} as const;

const OBJECTS = {
  CallRequest: whole(core.CallRequest, { id: "c", tool: "t", server: "s", arguments: {}, unreadable: "{" }),
  ToolResult: whole(core.ToolResult, result),
  CallTimes: whole(core.CallTimes, times),
  CallRecord: whole(core.CallRecord, {
    id: "call-1",
    scope: "agent",
    server: "files",
    toolName: "read_file",
    shownName: "read_file",
    arguments: { path: "/" },
    status: "error",
    ending: "tool-error",
    error: "No.",
    result,
    decision: "allow",
    startedAt: "2026-08-01T10:00:00.000Z",
    completedAt: "2026-08-01T10:00:01.000Z",
    lateAnswerAt: "2026-08-01T10:00:02.000Z",
    caller,
    times,
    sent: true,
    owner: "mine",
  }),
  CallQuery: whole(core.CallQuery, {
    server: "s",
    toolName: "t",
    status: "success",
    idPrefix: "c",
    limit: 10,
    after: "call-1",
  }),
  Caller: whole(core.Caller, caller),
  Gpt: whole(core.Gpt, {
    key: "helper",
    name: "Helper",
    description: "Helps",
    instructions: "Be kind.",
    model: "demo",
    servers: ["files"],
    tools: { "files:read_file": "off" },
    approval: "always-ask",
    trustedTools: ["files:read_file"],
  }),
  Grant: whole(core.Grant, {
    id: "g",
    verdict: "deny",
    sessionId: "s",
    scope: "agent",
    server: "files",
    tool: "read_file",
    fingerprint: "f",
    definition: { name: "read_file" },
    reason: "No.",
    createdAt: "2026-08-01T10:00:00.000Z",
  }),
  InventoryTool: whole(core.InventoryTool, { name: "read_file", fingerprint: "f", isAway: true }),
  ServerInventory: whole(core.ServerInventory, {
    scope: "agent",
    server: "files#1",
    launch: "files@1",
    era: "modern",
    tools: [{ name: "read_file", fingerprint: "f" }],
  }),
  ToolLimits: whole(core.ToolLimits, { maxInstances: 1, timeoutMs: 1 }),
  RateLimit: whole(core.RateLimit, { perMinute: 60, burst: 5 }),
  TextPart: whole(core.TextPart, text),
  ImagePart: whole(core.ImagePart, image),
  ThoughtPart: whole(core.ThoughtPart, thought),
  CallPart: whole(core.CallPart, call),
  CallResultPart: whole(core.CallResultPart, answer),
  UserMessage: whole(core.UserMessage, userMessage),
  AssistantMessage: whole(core.AssistantMessage, assistantMessage),
  ToolMessage: whole(core.ToolMessage, toolMessage),
  ModelSummary: whole(core.ModelSummary, {
    name: "demo",
    vendor: "demo",
    modelId: "demo",
    isDefault: true,
    source: "built in",
    vision: false,
    contextTokens: 1_000,
    maxTools: 128,
  }),
  ModelDefinition: whole(core.ModelDefinition, {
    name: "gpt",
    vendor: "openai",
    modelId: "gpt",
    apiKey: "${secret:a}",
    baseUrl: "https://example.org",
    api: "chat",
    headers: { a: "b" },
    vision: true,
    contextTokens: 1_000,
    maxOutputTokens: 100,
    isDefault: true,
    source: "tacklebox.yaml",
  }),
  CompletionRequest: whole(core.CompletionRequest, {
    target: { kind: "prompt", name: "review" },
    argument: "file",
    typed: "REA",
    known: { folder: "docs" },
  }),
  RunRequest: whole(core.RunRequest, {
    prompt: [text, image],
    sessionId: "s",
    gpt: "helper",
    model: "demo",
    tools: { read_file: "in" },
    approvalMode: "trusted-only",
    maxRounds: 3,
  }),
  RunOptions: whole(core.RunOptions, { attended: true, showsDefinitions: true, caller }),
  Selection: whole(core.Selection, selection),
  SelectedTool: whole(core.SelectedTool, selectedTool),
  Session: whole(core.Session, {
    id: "s",
    title: "Hello",
    createdAt: "2026-08-01T10:00:00.000Z",
    updatedAt: "2026-08-01T10:00:00.000Z",
    gpt: "helper",
    model: "demo",
    folders: ["/"],
    tools: { "files:read_file": "out" },
  }),
  SessionMessage: whole(core.SessionMessage, {
    sessionId: "s",
    number: 1,
    at: "2026-08-01T10:00:00.000Z",
    message: userMessage,
  }),
  SessionQuery: whole(core.SessionQuery, { limit: 10, idPrefix: "s", after: "x" }),
  MessageQuery: whole(core.MessageQuery, { limit: 10, after: "x" }),
  SessionOpening: whole(core.SessionOpening, {
    id: "s",
    wantedId: "t",
    title: "Hello",
    servers: [definition],
    unusable: ["files"],
    folders: ["/"],
    gpt: "helper",
    model: "demo",
  }),
  ServerDefinition: whole(core.ServerDefinition, definition),
  ToolRef: whole(core.ToolRef, { scope: "agent", server: "files", name: "read_file" }),
  ToolEntry: whole(core.ToolEntry, toolEntry),
  StdioLaunch: whole(core.StdioLaunch, stdio),
  HttpTarget: whole(core.HttpTarget, target),
  RemoteLaunch: whole(core.RemoteLaunch, remote),
  LocalLaunch: whole(core.LocalLaunch, { transport: "local" }),
  CustomTool: whole(core.CustomTool, customTool),
  CustomLaunch: whole(core.CustomLaunch, custom),
};

/** One value of each kind. */
const UNIONS = {
  ApprovalAnswer: [
    {
      kind: "allow",
      argumentsDigest: "d",
      fingerprint: "f",
      editedArguments: { path: "/tmp" },
      lasting: "always",
    },
    { kind: "deny", reason: "No.", lasting: "session" },
  ] satisfies core.ApprovalAnswer[],
  ElicitationAnswer: [
    { kind: "accept", content: { name: "Ada" } },
    { kind: "decline" },
    { kind: "cancel" },
  ] satisfies core.ElicitationAnswer[],
  PromptPart: [text, image] satisfies core.PromptPart[],
  Message: [userMessage, assistantMessage, toolMessage] satisfies core.Message[],
  Authentication: [
    { type: "none" },
    { type: "bearer", token: "${secret:a}" },
    { type: "api-key", key: "${secret:a}", header: "x-api-key" },
    { type: "basic", username: "ada", password: "${secret:a}" },
  ] satisfies core.Authentication[],
  Launch: [stdio, remote, { transport: "local" }, custom] satisfies core.Launch[],
};

const schemas = new Map(
  Object.entries(core).flatMap(([name, value]) => (value instanceof z.core.$ZodType ? [[name, value] as const] : [])),
);
const enums = [...schemas].filter(([, schema]) => schema instanceof z.core.$ZodEnum);
/** Schemas of any JSON value, and of any JSON object. */
const OPEN = ["ContentBlock", "Json", "JsonObject", "VendorMark"];

const JsonSchemaOfObject = z.object({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())),
  required: z._default(z.array(z.string()), []),
});

describe("the schemas of the domain", () => {
  it("are all tested here", () => {
    const tried = [...Object.keys(OBJECTS), ...Object.keys(UNIONS), ...enums.map(([name]) => name), ...OPEN];
    expect(tried.sort()).toEqual([...schemas.keys()].sort());
  });

  it.each([...schemas])("can be converted to JSON Schema: %s", (_name, schema) => {
    expect(toJSONSchema(schema)).toHaveProperty("$schema");
  });

  it.each(enums)("accept what they list and nothing else: %s", (_name, schema) => {
    const { enum: listed } = z.object({ enum: z.array(z.string()) }).parse(toJSONSchema(schema));
    expect(listed.map((value) => z.safeParse(schema, value).success)).not.toContain(false);
    for (const value of ["", "something else", null, 0, [], {}]) expect(z.safeParse(schema, value).success).toBe(false);
  });

  describe.each(Object.entries(OBJECTS))("%s", (_name, { schema, value }) => {
    const { properties, required } = JsonSchemaOfObject.parse(toJSONSchema(schema));
    const accepts = (changes: object) => schema.safeParse({ ...value, ...changes }).success;

    it("accepts a value with every member, and with one that only a newer version knows", () => {
      expect(Object.keys(properties).sort()).toEqual(Object.keys(value).sort());
      expect(schema.parse(value)).toStrictEqual(value);
      expect(schema.parse({ ...value, fromTheFuture: {} })).toStrictEqual({ ...value, fromTheFuture: {} });
    });

    it("accepts a value without its optional members, but requires all others", () => {
      const members = Object.entries(value);
      const without = (gone: readonly string[]) => Object.fromEntries(members.filter(([key]) => !gone.includes(key)));
      const optional = Object.keys(properties).filter((key) => !required.includes(key));
      expect(schema.safeParse(without(optional)).success).toBe(true);
      for (const key of required) expect(schema.safeParse(without([key])).success, key).toBe(false);
    });

    it("refuses a value with a member of the wrong type", () => {
      // A member that may be any JSON value accepts everything.
      const checked = Object.keys(properties).filter((key) => Object.keys(properties[key] ?? {}).length > 0);
      for (const key of checked)
        for (const damage of [null, [[null]]]) expect(accepts({ [key]: damage }), key).toBe(false);
    });

    it.each([null, [], "text", 1])("refuses %j", (damage) => {
      expect(schema.safeParse(damage).success).toBe(false);
    });
  });

  it.each(Object.entries(UNIONS))("distinguish the kinds: %s", (name, values) => {
    const schema = schemas.get(name);
    expect.assert(schema !== undefined);
    for (const value of values) {
      expect(z.parse(schema, value)).toStrictEqual(value);
      const [kind = ""] = Object.keys(value);
      for (const damage of [null, [], {}, { ...value, [kind]: "something else" }, { ...value, [kind]: undefined }])
        expect(z.safeParse(schema, damage).success).toBe(false);
    }
  });

  it("keep a content block of an unknown type as it is, and refuse one without a type", () => {
    const block = { type: "hologram", angle: 3, layers: [{ deep: null }] };
    expect(core.ContentBlock.parse(block)).toStrictEqual(block);
    for (const damage of [null, [], {}, { type: 1 }, "text"])
      expect(core.ContentBlock.safeParse(damage).success).toBe(false);
  });
});
