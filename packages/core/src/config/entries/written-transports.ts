import type { Authentication, Launch, LaunchOf, RemoteLaunch, Transport } from "../../domain/launch.ts";
import type { Dialect } from "../dialects/dialect.ts";

// Loaded to show help, so this file may import nothing but types.

/** Every notation for servers: the dialects of files, ACP entries, and the app's records. */
export type Notation = Dialect | "acp" | "app";

/** The fields that say how to reach a server, in every notation. */
export interface LaunchFields {
  readonly transport?: string | null | undefined;
  readonly command?: string | null | undefined;
  readonly args?: readonly string[] | null | undefined;
  readonly env?: Readonly<Record<string, string>> | null | undefined;
  readonly cwd?: string | null | undefined;
  readonly url?: string | null | undefined;
  readonly headers?: Readonly<Record<string, string>> | null | undefined;
  readonly authentication?: Authentication | null | undefined;
  readonly allow_insecure_http?: boolean | null | undefined;
}

/** Transports of servers that the engine creates; they are never written in a config. */
type MadeByEngine = "local" | "custom";
export type WritableTransport = Exclude<Transport, MadeByEngine>;

/** The transport that each field implies if none is named. */
export const IMPLIED_TRANSPORT = { command: "stdio", url: "http" } as const satisfies Readonly<
  Partial<Record<keyof LaunchFields, WritableTransport>>
>;

/** How servers of one transport are written in the notations. */
interface WrittenTransport<L> {
  /** Its names in each notation that has it: first the one to write, then the others that are accepted. */
  readonly names: Readonly<Partial<Record<Notation, readonly [string, ...string[]]>>>;
  /** The transport to write in a notation that has no name for this one. */
  readonly substitute?: WritableTransport;
  /** The fields that apply to it. */
  readonly fields: readonly (keyof LaunchFields)[];
  /** The field that must be present. */
  readonly required: keyof typeof IMPLIED_TRANSPORT;
  /** Builds the launch; `required` is the value of the required field. The caller checks the address. */
  toLaunch(required: string, fields: LaunchFields): L;
}

function remote(transport: RemoteLaunch["transport"]): Omit<WrittenTransport<RemoteLaunch>, "names"> {
  return {
    fields: ["url", "headers", "authentication", "allow_insecure_http"],
    required: "url",
    toLaunch: (url, { headers, authentication }) => ({
      transport,
      url,
      headers: headers ?? {},
      authentication: authentication ?? { type: "none" },
    }),
  };
}

/** One row for each transport that can be written. */
const ROWS = {
  stdio: {
    names: { native: ["stdio"], "mcp-servers": ["stdio"], gateway: ["stdio"], acp: ["stdio"], app: ["stdio"] },
    fields: ["command", "args", "env", "cwd"],
    required: "command",
    toLaunch: (command, { args, env, cwd }) => ({
      transport: "stdio",
      command,
      args: args ?? [],
      env: env ?? {},
      ...(isEmpty(cwd) ? {} : { cwd }),
    }),
  },
  http: {
    names: { native: ["http"], "mcp-servers": ["http"], gateway: ["http"], acp: ["http"], app: ["http"] },
    substitute: "streamable-http",
    ...remote("http"),
  },
  "streamable-http": {
    names: {
      native: ["streamable-http", "streamable_http", "streamableHttp"],
      "mcp-servers": ["streamable-http", "streamable_http", "streamableHttp"],
      toolbox: ["streamable_http", "streamable-http", "streamableHttp"],
    },
    ...remote("streamable-http"),
  },
  sse: {
    names: { native: ["sse"], "mcp-servers": ["sse"], toolbox: ["sse"], acp: ["sse"], app: ["sse"] },
    ...remote("sse"),
  },
} satisfies { readonly [T in WritableTransport]: WrittenTransport<LaunchOf<T>> };

/** Returns how a transport is written. */
export function notationOf(transport: WritableTransport): WrittenTransport<Launch> {
  return ROWS[transport];
}

/** Whether the field applies to servers of this transport. */
export function isFieldOf(transport: Transport, field: keyof LaunchFields): boolean {
  const rows: Readonly<Partial<Record<Transport, WrittenTransport<Launch>>>> = ROWS;
  return rows[transport]?.fields.includes(field) ?? false;
}

/** Whether a transport can be inferred from other fields. */
export function isImplied(transport: Transport): boolean {
  return Object.values(IMPLIED_TRANSPORT).some((implied) => implied === transport);
}

/** Every transport name a notation accepts, and what it means. */
export function spellings(notation: Notation): ReadonlyMap<string, WritableTransport> {
  return new Map(all().flatMap((transport) => namesOf(transport, notation).map((name) => [name, transport])));
}

/** The names to write in a notation: one for each transport it has. */
export function transportNames(notation: Notation): readonly string[] {
  return all().flatMap((transport) => namesOf(transport, notation).slice(0, 1));
}

/** A notation's name for the transport of a native entry; undefined if it has none. */
export function transportNameIn(notation: Notation, entry: Readonly<Record<string, unknown>>): string | undefined {
  const { transport: written = IMPLIED_TRANSPORT["url" in entry ? "url" : "command"] } = entry;
  const transport = spellings("native").get(String(written));
  if (transport === undefined) return undefined;
  const { substitute: standIn } = notationOf(transport);
  const names = [transport, ...(standIn === undefined ? [] : [standIn])].flatMap((own) => namesOf(own, notation));
  return names[0];
}

export function isEmpty(text: string | null | undefined): text is "" | null | undefined {
  return text === undefined || text === null || text.trim() === "";
}

function namesOf(transport: WritableTransport, notation: Notation): readonly string[] {
  return notationOf(transport).names[notation] ?? [];
}

function all(): readonly WritableTransport[] {
  return Object.keys(ROWS).filter((name): name is WritableTransport => name in ROWS);
}
