import type { StopReason } from "@agentclientprotocol/sdk";
import type { ClientSession } from "../client-sessions.ts";
import { toPromptParts } from "../prompt-parts.ts";
import { readMembers } from "../read-params.ts";
import { RpcError } from "../rpc/rpc-error.ts";
import { unlessAborted } from "../unless-aborted.ts";
import { type Method, type MethodDeps, sendSettings } from "./method.ts";

type PromptParts = ReturnType<typeof toPromptParts>;

/** Works a prompt to its end. A session takes one prompt at a time. */
export function createPromptMethod(deps: MethodDeps): Method {
  const { door, sessions } = deps;

  async function work(session: ClientSession, prompt: PromptParts, signal: AbortSignal): Promise<StopReason> {
    const opened = await unlessAborted(session.openInEngine(), signal);
    if (opened === undefined) return "cancelled";
    const stopReason = await opened.prompt(prompt, () => session.settings, signal);
    if (!session.knowsChoices && !signal.aborted) {
      await door.untilChoicesAreKnown();
      session.knowsChoices = true;
      sendSettings(session, deps);
    }
    return stopReason;
  }

  return async (params, withdrawn) => {
    const session = sessions.named(params);
    const parsed = toPromptParts(readMembers(params).prompt);
    if (session.turn !== undefined)
      throw new RpcError("request", "The session is busy with another prompt. Wait for it to end, or cancel it");
    const turn = new AbortController();
    const answer = work(session, parsed, AbortSignal.any([turn.signal, withdrawn]));
    session.turn = { stop: () => turn.abort(), over: answer.catch(() => undefined) };
    try {
      const stopReason = await answer;
      if (withdrawn.aborted) throw new RpcError("cancelled", "The prompt was withdrawn");
      return { result: { stopReason } };
    } finally {
      session.turn = undefined;
    }
  };
}
