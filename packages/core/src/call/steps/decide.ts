import type { ApprovalMode, Decision } from "../../domain/approval.ts";
import type { CheckedCall } from "../../domain/call.ts";
import type { Grant, PinState } from "../../domain/grant.ts";

/** What is known at the moment of the decision, besides the call itself. */
export interface CallPolicy {
  readonly pin: PinState;
  readonly mode: ApprovalMode;
  /** The assistant in use names this tool as trusted. */
  readonly trusted: boolean;
  /** Answers people gave about this tool: for this session first, then for good. */
  readonly grants: readonly Grant[];
}

/**
 * Policy for one call, layer by layer: the pin, what the tool's or server's settings say, what people answered before,
 * then the door's mode. Pure. An answer counts only for the definition it was given for.
 */
export function decide({ registered, definition }: CheckedCall, policy: CallPolicy): Decision {
  const { pin, mode, trusted, grants } = policy;
  const { shownName, approval } = registered;
  const changed =
    pin.kind === "changed" ? `The definition of tool '${shownName}' changed since it was first used` : undefined;
  if (changed !== undefined && definition.pin === "block")
    return {
      kind: "deny",
      layer: "pin",
      reason: `${changed}, and server '${definition.name}' says pin: block. Review it, then run: tacklebox trust ${definition.key}`,
    };
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
    // A file that says "ask" was written to be asked: an answer may hold for the session, not for good.
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
