import type { ApprovalMode, Decision } from "../../domain/approval.ts";
import type { Gpt } from "../../domain/gpt.ts";
import type { Grant } from "../../domain/grant.ts";
import type { ServerDefinition } from "../../domain/server.ts";
import type { RegisteredTool } from "../../domain/tool.ts";
import type { InSession, RunApproval } from "../../engine.ts";
import type { Grants } from "../../ports/store.ts";
import type { Access } from "../../servers/access.ts";
import { isBarred, isTrusted } from "../../toolbox/choose-tools.ts";
import type { Approval } from "../../toolbox/explain-tool.ts";
import { decide } from "../steps/decide.ts";
import { grantsFor } from "./grants.ts";

export interface ForesightDeps {
  readonly grants: Pick<Grants, "list">;
  readonly findGpt: (key: string) => Promise<Gpt | undefined>;
}

/** Tells how the calls of a run would be approved, in words for the person who would be asked. It asks nobody. */
export async function foreseeApprovals(
  access: Access,
  { sessionId, gpt: key, approvalMode }: InSession & RunApproval,
  { grants, findGpt }: ForesightDeps,
): Promise<(tool: RegisteredTool, definition: ServerDefinition) => Approval> {
  const gpt = key === undefined ? undefined : await findGpt(key);
  const mode = approvalMode ?? gpt?.approval ?? "auto";
  const all = await grants.list();
  const names = new Map<string, string>();
  for (const { entry } of access.servers()) {
    const { scope, key: server } = entry.definition;
    names.set(`${scope}/${server}`, await access.grantNameOf({ scope, server }));
  }
  return (registered, definition) => {
    const { ref } = registered;
    if (isBarred(registered, gpt)) return { verdict: "stop", text: `the GPT '${gpt?.key ?? ""}' does not use it` };
    const named = { ...ref, server: names.get(`${ref.scope}/${ref.server}`) ?? ref.server };
    const answers = grantsFor(all, named, sessionId);
    const pin = access.setOf(ref).catalog.pinOf(ref);
    const trusted = isTrusted(gpt, registered, access.peek());
    const decision = decide({ registered, definition }, { pin, mode, trusted, grants: answers });
    return toApproval(decision, answers, mode, pin.fingerprint);
  };
}

function toApproval(
  { kind, layer }: Decision,
  answers: readonly Grant[],
  mode: ApprovalMode,
  current: string,
): Approval {
  if (kind === "deny") {
    // A changed definition has a step of its own, which says what to do.
    if (layer === "pin") return { verdict: "ok", text: "not reached" };
    return { verdict: "stop", text: layer === "grant" ? "you denied it for this session" : "approval: deny" };
  }
  if (kind === "allow")
    return {
      verdict: "ok",
      text: allowedText(
        layer,
        answers.filter(({ fingerprint }) => fingerprint === current),
      ),
    };
  const agreed = answers.some(({ verdict }) => verdict === "allow");
  if (agreed && layer === "door")
    return { verdict: "warn", text: "you allowed an earlier definition of it, so you will be asked again" };
  const by = layer === "door" ? `approval mode: ${mode}` : "approval: ask";
  return { verdict: "warn", text: `you will be asked before it runs (${by})` };
}

function allowedText(layer: Decision["layer"], answers: readonly Grant[]): string {
  if (layer === "gpt") return "runs without asking: the assistant trusts it";
  if (layer === "door") return "runs without asking (approval mode: auto)";
  if (layer !== "grant") return "runs without asking (approval: auto)";
  const isForSession = answers.some(({ verdict, sessionId }) => verdict === "allow" && sessionId !== undefined);
  return isForSession ? "you allowed it for this session" : "you allowed it for every session";
}
