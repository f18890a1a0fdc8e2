import type {
  ArgumentProblem,
  CallStatus,
  ContentBlock,
  DoorName,
  Ending,
  ExplanationStep,
  IncludeMode,
  Json,
  JsonObject,
  JsonSchema,
  MatchReasons,
  ServerView,
  StartProblem,
  ToolApproval,
  ToolResult,
} from "@tacklebox/core";

/*
 * The `--json` output, one object per command. Scripts depend on these: fields may be added, never renamed.
 */

export interface CheckJson {
  readonly ok: boolean;
  readonly servers: readonly ServerJson[];
  /** Enabled servers that are not connected, by name. */
  readonly down: readonly string[];
  readonly disabled: readonly string[];
  /** The number of tools that may be called. */
  readonly tools: number;
  readonly problems: readonly StartProblem[];
  readonly warnings: readonly string[];
}

export interface ServersJson {
  readonly servers: readonly ServerJson[];
  readonly problems: readonly StartProblem[];
}

export interface ServerJson {
  readonly name: string;
  readonly status: ServerView["status"];
  readonly transport: string;
  readonly address: string;
  readonly protocol: string | null;
  readonly required: boolean;
  readonly tools: number;
  readonly cause?: string;
  readonly retry?: { readonly failures: number; readonly next_attempt_at?: string };
  /** What the server says a model should know. No model gets it. */
  readonly instructions?: string;
  readonly oddities: ServerView["oddities"];
  readonly quarantined: readonly { readonly name: string; readonly reason: string }[];
  /** Tools that asked for a name which belongs to another tool. */
  readonly name_conflicts: readonly {
    readonly tool: string;
    readonly wanted: string;
    readonly holder: { readonly server: string; readonly tool: string };
    /** Absent if it has no name and is called with its server. */
    readonly shown_as?: string;
  }[];
}

export interface ToolsJson {
  readonly tools: readonly ToolJson[];
}

export interface ToolJson {
  /** The name to call it by. */
  readonly name: string;
  readonly server: string;
  /** The name its server gives it. */
  readonly tool: string;
  readonly description: string;
  readonly max_instances: number;
  readonly timeout_ms: number;
  readonly configured_by: "explicit" | "merged" | "default";
  readonly include: IncludeMode;
  readonly approval?: ToolApproval;
  readonly input_schema: JsonSchema;
  readonly output_schema?: JsonSchema;
  readonly annotations?: JsonObject;
  /** Arguments that are repeated in HTTP headers, each as the names that lead to it. */
  readonly mirrored?: readonly { readonly argument: readonly string[]; readonly header: string }[];
}

export interface SearchJson {
  readonly query: string;
  /** Best first. */
  readonly tools: readonly (Pick<ToolJson, "name" | "server" | "tool" | "description" | "include"> & {
    readonly score: number;
    readonly why: MatchReasons;
  })[];
  /** Every server that has tools, to help when nothing was found. */
  readonly servers: readonly string[];
}

export interface OutcomeJson {
  /** The `id` of the input line; null when it had none. */
  readonly id: string | number | boolean | null;
  /** The id in the call log; null when the input line did not lead to a call. */
  readonly call_id: string | null;
  readonly server: string | null;
  readonly tool: string | null;
  readonly status: "success" | "error";
  readonly ending?: Ending;
  readonly is_error: boolean;
  /** The result as a model reads it. */
  readonly text: string;
  readonly content: readonly ContentBlock[];
  readonly structured_content?: Json;
  readonly error?: string;
  readonly problems?: readonly Pick<ArgumentProblem, "path" | "message">[];
  /** JSON pointers to arguments that were null and were not sent, because they may be absent but not null. */
  readonly left_out?: readonly Json[];
  readonly duration_ms: number;
}

export interface CallsJson {
  readonly calls: readonly CallJson[];
}

export interface CallJson {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly shown_name: string;
  readonly arguments: JsonObject;
  readonly status: CallStatus;
  readonly ending?: Ending;
  readonly error?: string;
  readonly result?: ToolResult;
  /** Present if only a part of the result was kept: the size and the SHA-256 of all of it. */
  readonly whole_result?: { readonly bytes: number; readonly sha256: string };
  readonly decision?: string;
  readonly started_at: string;
  readonly completed_at?: string;
  /** When the server answered after the call had already ended. */
  readonly late_answer_at?: string;
  /** Like the times, absent in calls from versions that did not record it. */
  readonly caller?: {
    readonly door: DoorName;
    readonly client?: string;
    readonly session_id?: string;
    readonly principal?: string;
  };
  /** How the duration of an ended call divides up. */
  readonly waited_for_person_ms?: number;
  readonly waited_for_slot_ms?: number;
  readonly ran_ms?: number;
  /** For a failed call: whether it was sent to the server, which may have run it. */
  readonly sent?: boolean;
}

export interface WhyJson {
  readonly explanations: readonly ExplanationJson[];
  readonly problems: readonly StartProblem[];
}

export interface ExplanationJson {
  readonly server: string;
  readonly tool: string;
  readonly shown_name?: string;
  readonly callable: boolean;
  readonly steps: readonly ExplanationStep[];
}

export interface TrustJson {
  readonly server: string;
  readonly accepted: readonly string[];
  /** `before` is null if the accepted definition was not kept. */
  readonly changed: readonly {
    readonly tool: string;
    readonly before: JsonObject | null;
    readonly after: JsonObject;
  }[];
}

const SERVER = `{ name, status, transport, address, protocol, required, tools, cause?,
    retry?: { failures, next_attempt_at? }, instructions?,
    oddities: { unreadable?, oversize?, "unknown-answer"?, "late-answer"? }, quarantined: [{ name, reason }],
    name_conflicts: [{ tool, wanted, holder: { server, tool }, shown_as? }] }`;
const PROBLEM = `{ kind, server?, tool?, text }`;
const OUTCOME = `{ id, call_id, server, tool, status: "success" | "error", ending?, is_error, text,
    content: [block], structured_content?, error?, problems?: [{ path, message }], left_out?: [path], duration_ms }`;

/** The same shapes as text, for `--help`. */
export const JSON_SHAPES = {
  check: `{ ok, servers: [server], down: [name], disabled: [name], tools: count, problems: [problem],
    warnings: [text] }
    server = ${SERVER}
    problem = ${PROBLEM}`,
  servers: `{ servers: [server], problems: [problem] }
    server = ${SERVER}
    problem = ${PROBLEM}`,
  tools: `{ tools: [{ name, server, tool, description, max_instances, timeout_ms, configured_by, include,
    approval?, input_schema, output_schema?, annotations?, mirrored?: [{ argument: [name], header }] }] }`,
  search: `{ query, tools: [{ name, server, tool, description, include, score, why }], servers: [name] }
    why = { named, words: [{ asked, found, how: "same" | "synonym" | "typo", fields: [name] }], server, meaning }`,
  call: OUTCOME,
  calls: `{ calls: [{ id, server, tool, shown_name, arguments, status, ending?, error?, result?,
    whole_result?: { bytes, sha256 }, decision?, started_at, completed_at?, late_answer_at?,
    caller?: { door, client?, session_id?, principal? },
    waited_for_person_ms?, waited_for_slot_ms?, ran_ms?, sent? }] }, or one such call if an id is given`,
  why: `{ explanations: [{ server, tool, shown_name?, callable, steps: [{ step, verdict, text }] }], problems: [problem] }
    problem = ${PROBLEM}`,
  trust: `{ server, accepted: [tool name], changed: [{ tool, before, after }] }`,
} as const;
