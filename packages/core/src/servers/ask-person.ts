import type { ElicitationAnswer, ElicitationRequest } from "../domain/question.ts";
import type { Scope } from "../domain/server.ts";

/** The server that asks, and the key under which its running calls are tracked. */
export interface Asker {
  readonly scope: Scope;
  readonly server: string;
  readonly serverKey: string;
}

/**
 * Asks a person on behalf of a server. A server may ask only while it works on a call whose caller can answer: at any
 * other time no one expects a question from it. Rejects only when `signal` is aborted.
 */
export type AskPerson = (asker: Asker, request: ElicitationRequest, signal: AbortSignal) => Promise<ElicitationAnswer>;
