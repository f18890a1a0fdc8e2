import type {
  ApprovalMode,
  Grant,
  IncludeMode,
  JsonObject,
  ModelErrorCode,
  ModelSummary,
  ToolChoice,
} from "@tacklebox/core";
import { SELECTION_SHAPE, type SelectionJson } from "./run-shapes.ts";

/*
 * The `--json` output of the `model`, `gpt`, `sessions` and `grants` commands. Scripts depend on these: fields may be
 * added, never renamed.
 */

export interface ModelListJson {
  readonly models: readonly {
    readonly name: string;
    readonly vendor: ModelSummary["vendor"];
    readonly model_id: string;
    readonly source: string;
    readonly default: boolean;
    readonly vision: boolean;
    readonly context_tokens: number;
  }[];
}

export interface ModelTestJson {
  readonly model: string | null;
  readonly ok: boolean;
  readonly duration_ms: number;
  /** The model's answer. */
  readonly text: string;
  readonly code?: ModelErrorCode;
  readonly message?: string;
}

export interface GptJson {
  readonly key: string;
  readonly name: string;
  readonly description?: string;
  readonly instructions: string;
  readonly model?: string;
  /** Absent means every server. */
  readonly servers?: readonly string[];
  readonly tools: Readonly<Record<string, IncludeMode | "off">>;
  readonly approval: ApprovalMode;
  readonly trusted_tools: readonly string[];
  readonly source: "file" | "saved";
}

export interface GptListJson {
  readonly gpts: readonly GptJson[];
}

export interface GptRemoveJson {
  readonly key: string;
  readonly removed: boolean;
}

export interface SessionJson {
  readonly id: string;
  readonly title: string;
  readonly gpt?: string;
  readonly model?: string;
  /** Tools that a person added or removed, by `server:tool`. */
  readonly tools?: Readonly<Record<string, ToolChoice>>;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface SessionListJson {
  readonly sessions: readonly SessionJson[];
}

export interface SessionMessageJson {
  readonly number: number;
  readonly at: string;
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
  readonly calls?: readonly {
    readonly call_id: string | null;
    readonly tool: string;
    readonly arguments: JsonObject;
  }[];
  /** Present in the first answer to a prompt. */
  readonly selection?: SelectionJson;
  readonly results?: readonly {
    readonly call_id: string | null;
    readonly tool: string;
    readonly is_error: boolean;
    readonly text: string;
  }[];
}

export interface SessionShowJson {
  readonly session: SessionJson;
  readonly messages: readonly SessionMessageJson[];
}

export interface SessionRemoveJson {
  readonly id: string;
  readonly removed: boolean;
}

export interface GrantListJson {
  readonly grants: readonly {
    readonly id: string;
    readonly verdict: Grant["verdict"];
    readonly server: string;
    readonly tool: string;
    /** Absent means every session. */
    readonly session_id?: string;
    readonly reason?: string;
    readonly created_at: string;
  }[];
}

export interface GrantRevokeJson {
  readonly id: string;
  readonly revoked: boolean;
}

const GPT = `{ key, name, description?, instructions, model?, servers?: [name], tools: { "server:tool": mode }, approval,
    trusted_tools: [name], source: "file" | "saved" }`;
const SESSION = `{ id, title, gpt?, model?, tools?: { "server:tool": "in" | "out" }, created_at, updated_at }`;

/** The same shapes as text, for `--help`. */
export const MANAGE_JSON_SHAPES = {
  modelList: `{ models: [{ name, vendor, model_id, source, default, vision, context_tokens }] }`,
  modelTest: `{ model, ok, duration_ms, text, code?, message? }`,
  gptList: `{ gpts: [gpt] }
    gpt = ${GPT}`,
  gpt: GPT,
  gptRemove: `{ key, removed }`,
  sessionList: `{ sessions: [${SESSION}] }`,
  sessionShow: `{ session: ${SESSION},
    messages: [{ number, at, role: "user" | "assistant" | "tool", text, calls?: [{ call_id, tool, arguments }],
      results?: [{ call_id, tool, is_error, text }],
      selection?: { ${SELECTION_SHAPE} } }] }`,
  sessionRemove: `{ id, removed }`,
  grantList: `{ grants: [{ id, verdict: "allow" | "deny", server, tool, session_id?, reason?, created_at }] }`,
  grantRevoke: `{ id, revoked }`,
} as const;
