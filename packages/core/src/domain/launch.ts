import * as z from "zod/mini";
import { JsonObject, list, map, object, optional, string } from "../json/schema.ts";

/** `http` tries Streamable HTTP and falls back to SSE; the other two remote kinds are exact. */
export const Transport = z.enum(["stdio", "http", "streamable-http", "sse", "local", "custom"]);
export type Transport = z.infer<typeof Transport>;

const { http: _tried, ...inUse } = Transport.def.entries;
/** The transport a connection actually uses; `http` only tries the others. */
export const TransportInUse = z.enum(inUse);
export type TransportInUse = z.infer<typeof TransportInUse>;

export const Authentication = z.discriminatedUnion("type", [
  object({ type: z.literal("none") }),
  object({ type: z.literal("bearer"), token: string }),
  object({ type: z.literal("api-key"), key: string, header: string }),
  object({ type: z.literal("basic"), username: string, password: string }),
]);
export type Authentication = z.infer<typeof Authentication>;

export const StdioLaunch = object({
  transport: z.literal("stdio"),
  command: string,
  args: list(string),
  env: map(string),
  cwd: optional(string),
});
export type StdioLaunch = z.infer<typeof StdioLaunch>;

/** Where HTTP requests go and what they carry. */
export const HttpTarget = object({ url: string, headers: map(string), authentication: Authentication });
export type HttpTarget = z.infer<typeof HttpTarget>;

export const RemoteLaunch = object({ transport: z.enum(["http", "streamable-http", "sse"]), ...HttpTarget.shape });
export type RemoteLaunch = z.infer<typeof RemoteLaunch>;

export const LocalLaunch = object({ transport: z.literal("local") });
export type LocalLaunch = z.infer<typeof LocalLaunch>;

/** A tool that is one HTTP endpoint, with no MCP server behind it. */
export const CustomTool = object({
  name: string,
  description: string,
  inputSchema: JsonObject,
  ...HttpTarget.shape,
});
export type CustomTool = z.infer<typeof CustomTool>;

/** The launch of the virtual server that all custom tools belong to. Opening it sends nothing. */
export const CustomLaunch = object({ transport: z.literal("custom"), tools: list(CustomTool) });
export type CustomLaunch = z.infer<typeof CustomLaunch>;

/** How to reach a server: everything a connector needs, and nothing about governance. */
export const Launch = z.discriminatedUnion("transport", [StdioLaunch, RemoteLaunch, LocalLaunch, CustomLaunch]);
export type Launch = z.infer<typeof Launch>;

/** The launch of one transport, or of any of several. */
export type LaunchOf<T extends Transport, L = Launch> = T extends Transport
  ? L extends { readonly transport: infer Own }
    ? T extends Own
      ? L
      : never
    : never
  : never;

/** The program that is started as a server. */
type Program = Pick<StdioLaunch, "command" | "args" | "env">;

/** Functions that transform the parts of a launch that may hold a credential. */
export interface CredentialParts {
  readonly env: (variables: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;
  readonly args: (args: readonly string[]) => readonly string[];
  readonly target: <T extends HttpTarget>(target: T) => T;
}

/** Everything that code other than the connector needs to know about a transport. */
export interface TransportFacts<L> {
  /** The address for messages: never with a query or a password, which may be secrets. */
  address(launch: L): string;
  /**
   * The part of a launch that goes into digests. Digests are stored, and a different identity voids what people
   * approved. Values of env and headers are left out: a rotated token is not a different server, and a digest of one
   * could be guessed.
   */
  identity(launch: L): unknown;
  /**
   * The identity of each tool by name, if each has its own host: changing one must not void the approval of another.
   * Absent if all tools share one host.
   */
  toolIdentities?(launch: L): ReadonlyMap<string, unknown>;
  /**
   * Transforms the parts that may hold a credential. What is not passed to `parts` is neither redacted nor filled in.
   */
  mapCredentials(launch: L, parts: CredentialParts): L;
  /** The program that is started; absent if the transport starts none. */
  program?(launch: L): Program;
  /** Sets the folder to start in, unless the launch names one. Absent if nothing is started on this machine. */
  startIn?(launch: L, folder: string): L;
}

const REMOTE: TransportFacts<RemoteLaunch> = {
  address({ url }) {
    const end = url.search(/[?#]/);
    const place = end === -1 ? url : url.slice(0, end);
    return place.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, "$1");
  },
  identity: (launch) => identityOfTarget("remote", launch),
  mapCredentials: (launch, { target }) => target(launch),
};

/** One row for each transport. */
export const TRANSPORTS = {
  stdio: {
    address: ({ command }) => command,
    identity({ command, args, env, cwd }) {
      return { transport: "stdio", command, args, cwd, env: Object.keys(env).sort() };
    },
    mapCredentials: (launch, { args, env }) => ({ ...launch, args: args(launch.args), env: env(launch.env) }),
    program: (launch) => launch,
    startIn: (launch, cwd) => (launch.cwd === undefined ? { ...launch, cwd } : launch),
  },
  http: REMOTE,
  "streamable-http": REMOTE,
  sse: REMOTE,
  local: {
    address: () => "this process",
    identity: () => ({ transport: "local" }),
    mapCredentials: (launch) => launch,
  },
  custom: {
    address: () => "the endpoints in custom_tools",
    identity({ tools }) {
      return { transport: "custom", tools: tools.map((tool) => [tool.name, identityOfTarget("custom", tool)]) };
    },
    toolIdentities: ({ tools }) => new Map(tools.map((tool) => [tool.name, identityOfTarget("custom", tool)])),
    mapCredentials: (launch, { target }) => ({ ...launch, tools: launch.tools.map((tool) => target(tool)) }),
  },
} satisfies { readonly [T in Transport]: TransportFacts<LaunchOf<T>> };

function identityOfTarget(transport: "remote" | "custom", { url, headers }: HttpTarget): unknown {
  const { origin, pathname } = new URL(url);
  return { transport, url: origin + pathname, headers: Object.keys(headers).sort() };
}

/** Returns the facts of the launch's own transport, which therefore accept this launch. */
export function factsOf({ transport }: Launch): TransportFacts<Launch> {
  return TRANSPORTS[transport];
}

/** Whether each tool has its own host, so that one host's request to be left alone does not concern the others. */
export function hasHostPerTool(launch: Launch): boolean {
  return factsOf(launch).toolIdentities !== undefined;
}

/** Returns the launch with the folder to start in, if it starts in one and names none itself. */
export function startedIn(launch: Launch, folder: string): Launch {
  return factsOf(launch).startIn?.(launch, folder) ?? launch;
}

/** The parts of a launch that may hold a credential. */
export interface CredentialPlaces {
  readonly env: readonly Readonly<Record<string, string>>[];
  readonly args: readonly (readonly string[])[];
  readonly targets: readonly HttpTarget[];
}

export function credentialPlaces(launch: Launch): CredentialPlaces {
  const env: Readonly<Record<string, string>>[] = [];
  const args: (readonly string[])[] = [];
  const targets: HttpTarget[] = [];
  const keepIn =
    <Part>(kept: Part[]) =>
    <Own extends Part>(part: Own): Own => {
      kept.push(part);
      return part;
    };
  factsOf(launch).mapCredentials(launch, { env: keepIn(env), args: keepIn(args), target: keepIn(targets) });
  return { env, args, targets };
}

export function isLaunchOf<T extends Transport>(launch: Launch, transports: readonly T[]): launch is LaunchOf<T> {
  return transports.some((transport) => transport === launch.transport);
}
