import { canAsk, readAnswer } from "../../asking/read-answer.ts";
import { EXIT } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { printableText } from "../../output/printable.ts";
import { describeProposal } from "./describe-proposal.ts";
import type { AskToAgree } from "./require-agreement.ts";

/**
 * Asks the person at the terminal, on stderr. Undefined without one, and when its input is over. Anything but a typed yes means no. A signal such as
 * Ctrl-C ends the program at once: while it asks, nothing is open that would have to be closed.
 */
export function askAtTerminal(io: Io): AskToAgree {
  if (!canAsk(io)) return undefined;
  return async (proposal) => {
    await io.stderr.write(printableText(`${describeProposal(proposal)}\n${QUESTION}`));
    const answer = await readAnswer(io);
    if (answer.kind !== "line") await io.stderr.write("\n");
    if (answer.kind === "stopped") io.control.exitNow(EXIT.interrupted);
    return answer.kind === "line" && answer.text.trim().toLowerCase() === "yes";
  };
}

const QUESTION = `It was found in the current folder, and its programs would run with your permissions. Agree only if you know where it came from.
Type yes to agree: `;
