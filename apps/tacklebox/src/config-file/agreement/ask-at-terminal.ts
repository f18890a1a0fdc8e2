import { EXIT } from "../../exit-code.ts";
import type { Io, SignalName } from "../../io.ts";
import { printableText } from "../../output/printable.ts";
import { describeProposal } from "./describe-proposal.ts";
import type { AskToAgree } from "./require-agreement.ts";

/**
 * Asks the person at the terminal, on stderr. Undefined without one, and when its input is over. Anything but a typed yes means no. A signal such as
 * Ctrl-C ends the program at once: while it asks, nothing is open that would have to be closed.
 */
export function askAtTerminal(io: Io): AskToAgree {
  if (io.stdinKind !== "terminal" || !io.stderrIsTerminal) return undefined;
  if (io.stdin.readableEnded || io.stdin.destroyed) return undefined;
  return async (proposal) => {
    await io.stderr.write(printableText(`${describeProposal(proposal)}\n${QUESTION}`));
    const answer = await readLine(io);
    if (answer.kind !== "line") await io.stderr.write("\n");
    if (answer.kind === "stopped") io.control.exitNow(EXIT.interrupted);
    return answer.kind === "line" && answer.text.trim().toLowerCase() === "yes";
  };
}

const QUESTION = `It was found in the current folder, and its programs would run with your rights. Agree only if you know where it is from.
Type yes to agree: `;

/** `ended`: the input is over, or the terminal is gone. `stopped`: by a signal. */
type Answer = { readonly kind: "line"; readonly text: string } | { readonly kind: "ended" | "stopped" };

const SIGNALS: readonly SignalName[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Reads one line and leaves the rest to whoever reads stdin next. */
function readLine({ stdin, control }: Io): Promise<Answer> {
  return new Promise((resolve) => {
    let typed = Buffer.alloc(0);
    const settle = (answer: Answer) => {
      stdin.off("data", take).off("end", end).off("close", end).off("error", end).pause();
      for (const stop of stopWatching) stop();
      resolve(answer);
    };
    const end = () => settle({ kind: "ended" });
    const take = (chunk: Buffer | string) => {
      typed = Buffer.concat([typed, Buffer.from(chunk)]);
      const at = typed.indexOf("\n");
      if (at === -1) return;
      if (at + 1 < typed.length) stdin.unshift(typed.subarray(at + 1));
      settle({ kind: "line", text: typed.subarray(0, at).toString("utf8") });
    };
    const stopWatching = SIGNALS.map((name) => control.onSignal(name, () => settle({ kind: "stopped" })));
    // Whoever read before may have paused it, and a listener alone does not end that.
    stdin.on("data", take).on("end", end).on("close", end).on("error", end).resume();
  });
}
