import { type Clock, systemClock } from "@tacklebox/core";
import type { Io } from "./io.ts";
import { collectText, readChunks } from "./json-lines/read-chunks.ts";

export type ReadPrompt =
  | { readonly kind: "ok"; readonly text: string }
  | { readonly kind: "refused"; readonly message: string };

const LONGEST_INPUT_BYTES = 16 * 1024 * 1024;
const PATIENCE_MS = 3_000;

/** The prompt of a command line: the argument, then what is piped in, a blank line between them. `-` is stdin alone. */
export async function readPrompt(
  argument: string | undefined,
  io: Io,
  clock: Clock = systemClock,
): Promise<ReadPrompt> {
  const given = argument === "-" ? "" : (argument ?? "");
  const isRead = argument === "-" || io.stdinKind !== "terminal";
  const mayLack = given.trim() !== "" && io.stdinKind === "socket";
  const piped = isRead ? await readPiped(io, clock, mayLack) : "";
  if (piped === undefined) return { kind: "refused", message: "stdin: a prompt may be at most 16 MiB" };
  const text = [given, piped].filter((part) => part.trim() !== "").join("\n\n");
  if (text === "")
    return { kind: "refused", message: 'There is no prompt. Say what to do, such as: tacklebox run "list my files"' };
  return { kind: "ok", text };
}

/** Input that does not come is either said to be waited for or, where a program may just have left it open, given up. */
async function readPiped(io: Io, clock: Clock, mayLack: boolean): Promise<string | undefined> {
  const givenUp = new AbortController();
  let begun = false;
  const cancelPatience = clock.after(PATIENCE_MS, () => {
    if (begun) return;
    void io.stderr.write(mayLack ? GOING_ON : WAITING);
    if (mayLack) givenUp.abort();
  });
  const chunks = readChunks(io.stdin, givenUp.signal);
  const noticed = async function* () {
    for await (const chunk of chunks) {
      begun = true;
      yield chunk;
    }
  };
  try {
    const text = await collectText(noticed(), LONGEST_INPUT_BYTES);
    return text?.replace(/\r?\n$/, "");
  } finally {
    cancelPatience();
  }
}

const WAITING = "Waiting for stdin, which is part of the prompt. To go without it add: < /dev/null\n";
const GOING_ON = "Nothing came on stdin for 3 s, so the prompt is the argument alone. To wait for stdin use: run -\n";
