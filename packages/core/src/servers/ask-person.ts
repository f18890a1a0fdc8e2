import type { ElicitationAnswer, ElicitationRequest } from "../domain/question.ts";
import type { Scope } from "../domain/server.ts";

/** A server that asks: who it is, and the name under which its calls are known. */
export interface Asker {
  readonly scope: Scope;
  readonly server: string;
  readonly atWorkAs: string;
}

/**
 * Asks a person on behalf of a server. A server may ask while it works on a call of somebody who can be asked, and no
 * longer: at any other time nobody expects to be asked by it. Rejects only when `signal` is aborted.
 */
export type AskPerson = (asker: Asker, request: ElicitationRequest, signal: AbortSignal) => Promise<ElicitationAnswer>;
