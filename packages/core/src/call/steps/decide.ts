import type { ApprovalMode, Decision } from "../../domain/approval.ts";
import type { CheckedCall } from "../../domain/call.ts";
import type { Grant, PinState } from "../../domain/grant.ts";
import type { Advice } from "../../ports/advice.ts";

/** What the decision depends on besides the call itself. */
export interface CallPolicy {
  readonly pin: PinState;
  readonly mode: ApprovalMode;
  /** Whether the GPT in use names this tool as trusted. */
  readonly trusted: boolean;
  /** Remembered answers about this tool: those for this session first, then the permanent ones. */
  readonly grants: readonly Grant[];
  readonly advice?: Pick<Advice, "trust"> | undefined;
}

/**
 * Decides one call, layer by layer: the pin, the tool's or server's settings, remembered answers, then the door's
 * approval mode. Pure. An answer counts only for the definition it was given for.
 */
export function decide(
  { registered, definition }: Pick<CheckedCall, "registered" | "definition">,
  policy: CallPolicy,
): Decision {
  const { pin, mode, trusted, grants } = policy;
  const { shownName, approval } = registered;
  const changed =
    pin.kind === "changed" ? `The definition of tool '${shownName}' changed since it was accepted` : undefined;
  if (changed !== undefined && definition.pin === "block") {
    const next = policy.advice === undefined ? "" : `. Review it, then run: ${policy.advice.trust(definition.key)}`;
    return { kind: "deny", layer: "pin", reason: `${changed}, and server '${definition.name}' says pin: block${next}` };
  }
  const warning = changed === undefined ? undefined : { warning: changed };
  const layer = definition.approval === approval ? "server" : "tool";
  if (approval === "deny") return { kind: "deny", layer, reason: `The ${layer} setting is approval: deny` };
  const refusal = grants.find(({ verdict }) => verdict === "deny");
  if (refusal !== undefined)
    return { kind: "deny", layer: "grant", reason: refusal.reason ?? "a person denied this tool for this session" };
  if (approval === "auto")
    return { kind: "allow", layer, reason: `The ${layer} setting is approval: auto`, ...warning };
  const granted = grants.filter(({ verdict, fingerprint }) => verdict === "allow" && fingerprint === pin.fingerprint);
  if (approval === "ask") {
    // A config file that says "ask" means to be asked: an answer may hold for the session, but not permanently.
    if (granted.some(({ sessionId }) => sessionId !== undefined)) return allowedBefore("for this session");
    return { kind: "ask", layer, reason: `The ${layer} setting is approval: ask`, ...warning };
  }
  if (mode === "auto") return { kind: "allow", layer: "door", reason: "The approval mode is auto", ...warning };
  if (granted.length > 0)
    return allowedBefore(granted.some(({ sessionId }) => sessionId !== undefined) ? "for this session" : "for good");
  if (mode === "trusted-only" && trusted && pin.kind !== "changed")
    return { kind: "allow", layer: "gpt", reason: "The assistant trusts this tool" };
  return { kind: "ask", layer: "door", reason: `The approval mode is ${mode}`, ...warning };
}

function allowedBefore(how: string): Decision {
  return { kind: "allow", layer: "grant", reason: `A person allowed this tool ${how}` };
}
