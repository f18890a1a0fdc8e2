import type { ToolResult } from "../../domain/call.ts";
import { ConnectionError, type ConnectionErrorCode } from "../../domain/connection.ts";
import type { Transport } from "../../domain/launch.ts";
import type { ServerDefinition } from "../../domain/server.ts";
import type { Json, JsonObject } from "../../json/json.ts";
import type { Connection, OpenOptions, OutgoingCall } from "../../ports/connector.ts";
import { createScriptedConnector, type ScriptedConnector } from "../scripted-connector.ts";
import { between, type Random } from "../seeded-random.ts";
import { canaryForms, findCanaries, pick, textsIn } from "./canaries.ts";

export interface LeakyConnector extends ScriptedConnector {
  /** Every text its servers sent, unredacted. */
  readonly leaked: readonly string[];
  /** Returns a text of this server that contains some of the canaries it knows. */
  say(key: string): string;
  /** Changes the descriptions of the server's tools and reports the change. */
  describeAnew(key: string): void;
}

/** The tools of every leaky server, named after what they do. */
export const LEAKY_TOOLS = ["tell", "fail", "break", "ask", "steps", "odd", "hang", "guarded", "rest"] as const;

/** A server whose key starts with this cannot be opened and says why. */
export const REFUSING = "refusing";

const TRANSPORTS: readonly Transport[] = ["stdio", "http", "streamable-http", "sse", "custom"];
const BROKEN: readonly ConnectionErrorCode[] = ["protocol-error", "sign-in-needed", "interrupted", "oversize"];

interface LeakyServer {
  /** Returns some of the canaries it knows, in some form. */
  readonly say: () => string;
  /** Returns all of them in every form. */
  readonly sayAll: () => string;
  readonly learn: (value: unknown) => void;
}

/** Servers that repeat every canary they have received, wherever a server can send text. */
export function createLeakyConnector(canaries: () => readonly string[], random: Random): LeakyConnector {
  const scripted = createScriptedConnector(TRANSPORTS);
  const servers = new Map<string, LeakyServer>();
  const leaked: string[] = [];
  const forms = new Map<string, readonly string[]>();

  function formsOf(canary: string): readonly string[] {
    const known = forms.get(canary) ?? canaryForms(canary);
    forms.set(canary, known);
    return known;
  }

  function createServer(): LeakyServer {
    const known = new Set<string>();
    const leak = (text: string) => {
      leaked.push(text);
      return text;
    };
    return {
      learn(value) {
        const texts = textsIn(value).filter((text) => findCanaries(text).length > 0);
        for (const canary of canaries())
          if (formsOf(canary).some((form) => texts.some((text) => text.includes(form)))) known.add(canary);
      },
      say() {
        const some = Array.from({ length: between(random, 1, 3) }, () => pick(random, [...known]));
        return leak(some.map((canary) => `it is ${pick(random, formsOf(canary))}.`).join(" "));
      },
      sayAll: () => leak([...known].map((canary) => formsOf(canary).join(" & ")).join("\n")),
    };
  }

  function serverOf(key: string): LeakyServer {
    const known = servers.get(key) ?? createServer();
    servers.set(key, known);
    return known;
  }

  async function open(definition: ServerDefinition, options: OpenOptions, signal: AbortSignal): Promise<Connection> {
    const { key, launch } = definition;
    const server = serverOf(key);
    server.learn(launch);
    options.onServerLog?.(server.say());
    if (key.startsWith(REFUSING)) throw new ConnectionError("unreachable", server.sayAll());
    const script = scripted.server(key);
    script.tools = toolsOf(server);
    script.answer = (call) => answer(call, server, options, random);
    script.offers = offersOf(server);
    const connection = await scripted.open(definition, options, signal);
    return {
      ...connection,
      info: {
        ...connection.info,
        name: server.say(),
        version: server.say(),
        instructions: server.sayAll(),
        capabilities: { experimental: { [server.say()]: { note: server.say() } } },
      },
      async close() {
        options.onServerLog?.(server.say());
        await connection.close();
      },
    };
  }

  return {
    ...scripted,
    leaked,
    say: (key) => serverOf(key).say(),
    describeAnew(key) {
      scripted.server(key).tools = toolsOf(serverOf(key));
      scripted.toolsChanged(key);
    },
    open,
  };
}

function toolsOf({ say }: Pick<LeakyServer, "say">): unknown[] {
  const schema = () => ({
    type: "object",
    title: say(),
    description: say(),
    $comment: say(),
    default: { text: say() },
    examples: [{ text: say() }, { [say()]: [say()] }],
    properties: {
      text: { type: "string", description: say(), default: say(), examples: [say()] },
      among: { enum: ["one", "two"], title: say() },
      // Parameters with these names, which are not texts.
      description: { type: "string", description: say() },
      default: {
        anyOf: [
          { type: "string", title: say() },
          { type: "array", items: { description: say() } },
        ],
      },
    },
    $defs: { other: { description: say() } },
  });
  const usable = LEAKY_TOOLS.map((name) => ({
    name,
    title: say(),
    description: `Does what it is called. ${say()}`,
    annotations: { title: say(), readOnlyHint: true, note: say() },
    icons: [{ src: `https://icons.example/?of=${say()}` }],
    _meta: { "example.com/by": say(), "example.com/deep": [{ [say()]: say() }] },
    inputSchema: schema(),
    ...(name === "odd" && { outputSchema: { ...schema(), required: ["gone"], additionalProperties: false } }),
  }));
  return [
    ...usable,
    // Where a secret cannot be redacted, so the tool is not shown at all.
    { name: say().slice(0, 500), inputSchema: { type: "object" } },
    ...[{ enum: ["one", say()] }, { const: say() }, { properties: { [say()]: {} } }, { pattern: say() }].map(
      (property, index) => ({
        name: `told_${index}`,
        inputSchema: { type: "object", properties: { property } },
        outputSchema: { type: "object", properties: { property } },
      }),
    ),
    { name: "required", inputSchema: { type: "object", required: [say()], "x-own": [say()] } },
    { name: `${say()}${"x".repeat(600)}`, inputSchema: { type: "object" } },
    { name: "elsewhere", inputSchema: { type: "object", $ref: `#/${say()}` } },
    { name: "unreadable", inputSchema: { type: "object", patternProperties: { [`(?${say()}`]: {} } } },
    { name: "untyped", inputSchema: { type: "object", properties: { a: { type: say() } } } },
    say(),
  ];
}

async function answer(
  { name, arguments: given, onProgress }: OutgoingCall,
  { say, sayAll, learn }: LeakyServer,
  { elicit }: OpenOptions,
  random: Random,
): Promise<ToolResult> {
  learn(given);
  const result = (...texts: readonly string[]): ToolResult => ({
    content: [
      ...texts.map((text) => ({ type: "text", text })),
      { type: "resource", resource: { uri: `x://${say()}`, text: say(), [say()]: say() } },
      { type: "of tomorrow", [say()]: [{ deep: say() }] },
    ],
    structuredContent: { text: say(), [say()]: { [say()]: say() } },
    meta: { "example.com/by": say(), [say()]: say() },
    isError: false,
  });
  if (name === "fail") return { ...result(say(), sayAll()), isError: true };
  if (name === "break") throw new ConnectionError(pick(random, BROKEN), sayAll());
  if (name === "rest") throw new ConnectionError("unreachable", say(), { retryAfterMs: 1_000 });
  if (name === "hang") return new Promise(() => undefined);
  if (name === "steps") for (const progress of [1, 2, 3]) onProgress?.({ progress, total: 3, message: say() });
  if (name === "ask") return result(JSON.stringify(await ask(say, learn, elicit)));
  return result(say(), sayAll(), JSON.stringify(given));
}

async function ask(say: () => string, learn: (value: unknown) => void, elicit: OpenOptions["elicit"]): Promise<Json> {
  const never = new AbortController().signal;
  const schema: JsonObject = {
    type: "object",
    description: say(),
    properties: { login: { type: "string", title: say(), description: say(), default: say() } },
  };
  const form = await elicit?.({ kind: "form", server: say(), message: say(), schema }, never);
  learn(form);
  const address = { kind: "url", server: say(), message: say(), url: `https://sign-in.example/?${say()}` } as const;
  const opened = await elicit?.(address, never);
  return [form?.kind === "accept" ? form.content : say(), opened?.kind ?? say()];
}

/** Requests for a name that ends with `broken` fail. */
function offersOf({ say, sayAll, learn }: LeakyServer): Partial<Connection> {
  const unlessBroken = (name: string) => {
    learn(name);
    if (name.endsWith("broken")) throw new ConnectionError("protocol-error", sayAll());
  };
  const about = () => ({ name: say(), description: say(), raw: { title: say(), [say()]: say() } });
  return {
    listResources: async () => [{ uri: `x://${say()}`, mimeType: say(), ...about() }],
    listResourceTemplates: async () => [{ uriTemplate: `x://${say()}/{id}`, ...about() }],
    listPrompts: async () => [{ ...about(), arguments: [{ name: say(), description: say(), required: true }] }],
    async readResource(uri) {
      unlessBroken(uri);
      return [
        { kind: "text", uri: `x://${say()}`, mimeType: say(), text: sayAll() },
        { kind: "bytes", uri: "x://bytes", base64: say() },
      ];
    },
    async getPrompt(name, args) {
      unlessBroken(name);
      learn(args);
      return {
        description: say(),
        messages: [{ role: "user", content: { type: "text", text: sayAll(), _meta: say() } }],
      };
    },
    async complete({ target, typed }) {
      unlessBroken(target.kind === "prompt" ? target.name : target.uriTemplate);
      learn(typed);
      return { values: [say(), say()], hasMore: false };
    },
    async subscribeResource(uri) {
      unlessBroken(uri);
    },
    unsubscribeResource: async () => undefined,
  };
}
