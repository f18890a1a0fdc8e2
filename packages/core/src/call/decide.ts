import type { ApprovalMode, Decision } from "../domain/approval.ts";
import type { CheckedCall } from "../domain/call.ts";
import type { PinState } from "../domain/pin.ts";

/** Policy for one call, layer by layer: the pin, then the tool or server setting, then the door's mode. Pure. */
export function decide({ registered, definition }: CheckedCall, pin: PinState, mode: ApprovalMode): Decision {
  const { shownName, approval } = registered;
  const changed = `The definition of tool '${shownName}' changed since it was first used`;
  if (pin.kind === "changed" && definition.pin === "block")
    return {
      kind: "deny",
      layer: "pin",
      reason: `${changed}, and server '${definition.name}' says pin: block. Review it, then run: tacklebox trust ${definition.key}`,
    };
  const warning = pin.kind === "changed" ? { warning: changed } : {};
  const layer = definition.approval === approval ? "server" : "tool";
  if (approval === "deny") return { kind: "deny", layer, reason: `The ${layer} setting is approval: deny` };
  if (approval === "ask") return { kind: "ask", layer, reason: `The ${layer} setting is approval: ask`, ...warning };
  if (approval === "auto")
    return { kind: "allow", layer, reason: `The ${layer} setting is approval: auto`, ...warning };
  if (mode === "auto")
    return { kind: "allow", layer: "door", reason: "This door runs tools without asking", ...warning };
  return { kind: "ask", layer: "door", reason: `This door's approval mode is ${mode}`, ...warning };
}
