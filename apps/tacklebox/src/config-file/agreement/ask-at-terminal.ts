import type { Io } from "../../io.ts";
import { printableText } from "../../output/printable.ts";
import { describeProposal } from "./describe-proposal.ts";
import type { AskToAgree } from "./require-agreement.ts";

/** Asks the person at the terminal, on stderr. Undefined without one. Anything but a typed yes means no. */
export function askAtTerminal(io: Io): AskToAgree {
  if (io.stdinKind !== "terminal" || !io.stderrIsTerminal) return undefined;
  return async (proposal) => {
    await io.stderr.write(printableText(`${describeProposal(proposal)}\n${QUESTION}`));
    const answer = await readLine(io);
    if (answer === undefined) await io.stderr.write("\n");
    return answer?.trim().toLowerCase() === "yes";
  };
}

const QUESTION = `It was found in the current folder, and its programs would run with your rights. Agree only if you know where it is from.
Type yes to agree: `;

/** Reads one line and leaves the rest to whoever reads stdin next. Undefined when the person leaves. */
function readLine({ stdin, control }: Io): Promise<string | undefined> {
  return new Promise((resolve) => {
    let typed = Buffer.alloc(0);
    const end = (line: string | undefined) => {
      stdin.off("data", take).off("end", leave).pause();
      stopWatching();
      resolve(line);
    };
    const leave = () => end(undefined);
    const take = (chunk: Buffer | string) => {
      typed = Buffer.concat([typed, Buffer.from(chunk)]);
      const at = typed.indexOf("\n");
      if (at === -1) return;
      if (at + 1 < typed.length) stdin.unshift(typed.subarray(at + 1));
      end(typed.subarray(0, at).toString("utf8"));
    };
    const stopWatching = control.onSignal("SIGINT", leave);
    stdin.on("data", take).on("end", leave);
  });
}
