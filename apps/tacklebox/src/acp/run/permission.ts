import type { PermissionOption } from "@agentclientprotocol/sdk";
import type { ApprovalAnswer, ApprovalLasting, ApprovalRequest } from "@tacklebox/core";
import { isObject } from "../rpc/is-object.ts";

interface Choice extends PermissionOption {
  readonly optionId: string;
  readonly answer: { readonly kind: "allow" | "deny"; readonly lasting: ApprovalLasting };
}

const CHOICES: readonly Choice[] = [
  { optionId: "allow-once", name: "Allow once", kind: "allow_once", answer: { kind: "allow", lasting: "once" } },
  {
    optionId: "allow-session",
    name: "Allow for this session",
    kind: "allow_always",
    answer: { kind: "allow", lasting: "session" },
  },
  {
    optionId: "allow-always",
    name: "Always allow",
    kind: "allow_always",
    answer: { kind: "allow", lasting: "always" },
  },
  { optionId: "reject-once", name: "Reject", kind: "reject_once", answer: { kind: "deny", lasting: "once" } },
  {
    optionId: "reject-session",
    name: "Reject for this session",
    kind: "reject_always",
    answer: { kind: "deny", lasting: "session" },
  },
];

/** The person's options, limited to how long policy lets an answer last. */
export function toPermissionOptions({ lasting }: Pick<ApprovalRequest, "lasting">): PermissionOption[] {
  return CHOICES.filter(({ answer }) => lasting.includes(answer.lasting)).map(({ optionId, name, kind }) => ({
    optionId,
    name,
    kind,
  }));
}

/** Converts the editor's response, bound to the call that was asked about. Anything but a clear yes is a no, once. */
export function toApprovalAnswer(
  response: unknown,
  { argumentsDigest, fingerprint, lasting: offered }: ApprovalRequest,
): ApprovalAnswer {
  const outcome = isObject(response) && isObject(response.outcome) ? response.outcome : {};
  const chosen = CHOICES.find(({ optionId }) => outcome.outcome === "selected" && optionId === outcome.optionId);
  if (chosen === undefined || !offered.includes(chosen.answer.lasting))
    return { kind: "deny", reason: "the question was dismissed in the editor" };
  const { kind, lasting } = chosen.answer;
  if (kind === "allow") return { kind, lasting, argumentsDigest, fingerprint };
  return { kind, lasting: lasting === "session" ? "session" : "once" };
}
