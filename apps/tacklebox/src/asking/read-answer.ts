import type { Io, SignalName } from "../io.ts";

/** Whether a person at a terminal can be asked on stderr and answer on stdin. */
export function canAsk({ stdin, stdinKind, stderrIsTerminal }: Io): boolean {
  return stdinKind === "terminal" && stderrIsTerminal && !stdin.readableEnded && !stdin.destroyed;
}

/** `ended`: the input is over, or the terminal is gone. `stopped`: by a signal. */
export type Answer = { readonly kind: "line"; readonly text: string } | { readonly kind: "ended" | "stopped" };

const SIGNALS: readonly SignalName[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Reads one line that a person types, and leaves the rest to whoever reads stdin next. */
export function readAnswer({ stdin, control }: Pick<Io, "stdin" | "control">): Promise<Answer> {
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
