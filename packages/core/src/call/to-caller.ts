import { type Caller, UNNAMED_CALLER } from "../domain/caller.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import { redactJson } from "../secrets/redact.ts";

/**
 * The caller as it is stored with a call: without secrets, and with the session the engine knows rather than one the
 * door claims. Returns the same object if nothing has to change, as is the case for most calls.
 */
export function toCaller(given: Caller = UNNAMED_CALLER, sessionId: string | undefined, redact: Redactor): Caller {
  const isNamed = given.client !== undefined || given.principal !== undefined;
  const caller = isNamed ? redactJson(redact, given) : given;
  if (caller.sessionId === sessionId) return caller;
  const { sessionId: _claimed, ...others } = caller;
  return sessionId === undefined ? others : { ...others, sessionId };
}
