import { randomUUID } from "node:crypto";
import type { ElicitationAnswer, ElicitationRequest, Elicitor, JsonObject } from "@tacklebox/core";
import type { Abilities } from "./abilities.ts";
import { isObject } from "./is-object.ts";
import type { Peer } from "./peer.ts";

/** The call a server is at, when it asks its person something. */
export interface CallAtWork {
  readonly sessionId: string;
  readonly toolCallId?: string;
  /** Aborted when the call has ended: nobody needs an answer any more. */
  readonly ended?: AbortSignal;
}

export interface ElicitorParts {
  readonly peer: Pick<Peer, "request">;
  readonly abilities: Abilities;
  /** Undefined when nothing says whose question it is. */
  readonly findCall: (request: ElicitationRequest) => CallAtWork | undefined;
}

/** Puts the questions of servers to the person in the editor. Undefined where the editor cannot show any. */
export function createElicitor({ peer, abilities, findCall }: ElicitorParts): Elicitor | undefined {
  if (!abilities.forms && !abilities.urls) return undefined;
  return {
    async ask(request, signal) {
      const found = findCall(request);
      const shown = request.kind === "form" ? abilities.forms : abilities.urls;
      if (found === undefined || !shown) return { kind: "decline" };
      const { ended, ...call } = found;
      const params = { ...call, message: `${request.server}: ${request.message}`, ...fieldsOf(request) };
      try {
        const wanted = ended === undefined ? signal : AbortSignal.any([signal, ended]);
        return toElicitationAnswer(await peer.request("elicitation/create", params, wanted));
      } catch (error) {
        if (signal.aborted) throw error;
        return { kind: "cancel" };
      }
    },
  };
}

function fieldsOf(request: ElicitationRequest): object {
  if (request.kind === "url") return { mode: "url", url: request.url, elicitationId: randomUUID() };
  return { mode: "form", requestedSchema: { properties: {}, ...request.schema, type: "object" } };
}

function toElicitationAnswer(response: unknown): ElicitationAnswer {
  const { action, content } = isObject(response) ? response : {};
  if (action === "accept") return { kind: "accept", content: isObject(content) ? (content as JsonObject) : {} };
  return action === "decline" ? { kind: "decline" } : { kind: "cancel" };
}
