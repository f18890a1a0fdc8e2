import {
  type ElicitationAnswer,
  type ElicitationRequest,
  isJsonObject,
  type JsonObject,
  type OpenOptions,
  redactTexts,
} from "@tacklebox/core";
import type { RedactServerText } from "./redact-server-text.ts";

/**
 * `person`: a person decided. `policy`: answered from configuration. `declined`: declined without asking, because no
 * one can or should be asked; `why` says what the question was. `unknown`: a kind of question we did not declare.
 */
export type QuestionAnswer =
  | { readonly kind: "person"; readonly result: JsonObject }
  | { readonly kind: "policy"; readonly result: JsonObject }
  | { readonly kind: "declined"; readonly result: JsonObject; readonly why: string }
  | { readonly kind: "unknown" };

/** The subset of MCP's client capabilities that this client can declare. */
export type DeclaredCapabilities = {
  readonly elicitation?: { readonly form: Record<string, never>; readonly url: Record<string, never> };
  readonly roots?: Record<string, never>;
};

/** Answers what a server asks its client, whether in a request of its own (legacy) or inside a result (modern). */
export interface ServerQuestions {
  /** Declared to the server: exactly the questions that can be answered here. */
  readonly capabilities: DeclaredCapabilities;
  /** Rejects only if `signal` is aborted. */
  answer(method: string, params: JsonObject, signal: AbortSignal): Promise<QuestionAnswer>;
}

const MAX_QUOTE_LENGTH = 200;

export function createServerQuestions(server: string, options: OpenOptions, redact: RedactServerText): ServerQuestions {
  const { elicit, roots } = options;

  async function askPerson(params: JsonObject, signal: AbortSignal): Promise<QuestionAnswer> {
    const request = toElicitation(server, params, redact);
    if (request === undefined) return declined("The server asks for something that nobody should be asked");
    if (elicit === undefined) return declined(`The server asks ${quoted(request)}, and nobody can be asked here`);
    return { kind: "person", result: toElicitResult(await elicit(request, signal), request) };
  }

  return {
    capabilities: {
      ...(elicit !== undefined && { elicitation: { form: {}, url: {} } }),
      ...(roots !== undefined && { roots: {} }),
    },
    async answer(method, params, signal) {
      if (method === "elicitation/create") return askPerson(params, signal);
      if (method !== "roots/list" || roots === undefined) return { kind: "unknown" };
      const list = await roots();
      return { kind: "policy", result: { roots: list.map(({ uri, name }) => ({ uri, ...(name && { name }) })) } };
    },
  };
}

function declined(why: string): QuestionAnswer {
  return { kind: "declined", result: { action: "decline" }, why };
}

function quoted({ message }: ElicitationRequest): string {
  const text = message.length > MAX_QUOTE_LENGTH ? `${message.slice(0, MAX_QUOTE_LENGTH)}…` : message;
  return text === "" ? "for input" : JSON.stringify(text);
}

/** Undefined if no one should see the question: it is malformed, or its URL is not safe to open (T10). */
function toElicitation(server: string, params: JsonObject, redact: RedactServerText): ElicitationRequest | undefined {
  const { mode = "form", requestedSchema } = params;
  const message = redact(typeof params.message === "string" ? params.message : "");
  if (mode === "form" && isJsonObject(requestedSchema)) {
    return { kind: "form", server, message, schema: redactTexts(requestedSchema, redact) };
  }
  const url = mode === "url" ? safeAddress(params.url) : undefined;
  return url === undefined ? undefined : { kind: "url", server, message, url };
}

function toElicitResult(answer: ElicitationAnswer, { kind }: ElicitationRequest): JsonObject {
  if (answer.kind !== "accept") return { action: answer.kind };
  return kind === "form" ? { action: "accept", content: answer.content } : { action: "accept" };
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Allows only https, and http to this machine: other schemes start programs, and plain http can be tampered with. */
function safeAddress(value: unknown): string | undefined {
  if (typeof value !== "string" || !URL.canParse(value)) return undefined;
  const { protocol, hostname, href } = new URL(value);
  const safe = protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname));
  return safe ? href : undefined;
}
