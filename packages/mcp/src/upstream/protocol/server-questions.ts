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
 * `person`: somebody decided. `policy`: we answered with what was given to us for that. `nobody`: declined, as nobody can
 * be asked, or nobody should be; `why` says what was asked. `unknown`: a question we said nothing about.
 */
export type QuestionAnswer =
  | { readonly kind: "person"; readonly result: JsonObject }
  | { readonly kind: "policy"; readonly result: JsonObject }
  | { readonly kind: "nobody"; readonly result: JsonObject; readonly why: string }
  | { readonly kind: "unknown" };

/** Of all that clients can declare, what this one ever does. */
export type DeclaredCapabilities = {
  readonly elicitation?: { readonly form: Record<string, never>; readonly url: Record<string, never> };
  readonly roots?: Record<string, never>;
};

/** What a server may ask its client, whether as a request of its own (legacy) or inside a result (modern). */
export interface ServerQuestions {
  /** Declared to the server: exactly what somebody here answers (T1.13). */
  readonly capabilities: DeclaredCapabilities;
  /** Rejects only when `signal` is aborted. */
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
  return { kind: "nobody", result: { action: "decline" }, why };
}

function quoted({ message }: ElicitationRequest): string {
  const text = message.length > MAX_QUOTE_LENGTH ? `${message.slice(0, MAX_QUOTE_LENGTH)}…` : message;
  return text === "" ? "for input" : JSON.stringify(text);
}

/** Undefined when nobody should see the question: it cannot be read, or its address is not safe to open (T10). */
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

/** Only https, and http to this machine: other schemes start programs, and plain http can be rewritten on its way. */
function safeAddress(value: unknown): string | undefined {
  if (typeof value !== "string" || !URL.canParse(value)) return undefined;
  const { protocol, hostname, href } = new URL(value);
  const safe = protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname));
  return safe ? href : undefined;
}
