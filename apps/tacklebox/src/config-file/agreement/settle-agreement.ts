import type { Io } from "../../io.ts";
import { findConfig } from "../find-config.ts";
import { askAtTerminal } from "./ask-at-terminal.ts";
import { requireAgreement } from "./require-agreement.ts";

/**
 * Settles whether a config file in the current folder may be used, for a command that is about to read stdin: the answer
 * comes from there, too. Returns why not, unless it may.
 */
export async function settleAgreement(io: Io, explicit: string | undefined): Promise<readonly string[] | undefined> {
  const found = findConfig(explicit, io);
  if (found.kind === "missing" || found.origin === "operator") return undefined;
  const agreed = await requireAgreement(found.file, io, askAtTerminal(io));
  return agreed.kind === "unagreed" ? agreed.messages : undefined;
}
