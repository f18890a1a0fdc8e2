import { type Clock, systemClock } from "@tacklebox/core";
import type { Io } from "./io.ts";
import { collectText, readChunks } from "./json-lines/read-chunks.ts";

export type ReadPrompt =
  | { readonly kind: "ok"; readonly text: string }
  | { readonly kind: "refused"; readonly message: string };

const MAX_INPUT_BYTES = 16 * 1024 * 1024;
const NOTICE_AFTER_MS = 3_000;

/** Reads the prompt: the argument, a blank line, then stdin unless it is a terminal. `-` means stdin alone. */
export async function readPrompt(
  argument: string | undefined,
  io: Io,
  clock: Clock = systemClock,
): Promise<ReadPrompt> {
  const given = argument === "-" ? "" : (argument ?? "");
  const readsStdin = argument === "-" || io.stdinKind !== "terminal";
  const maySendNothing = given.trim() !== "" && io.stdinKind === "socket";
  const piped = readsStdin ? await readPiped(io, clock, maySendNothing) : "";
  if (piped === undefined) return { kind: "refused", message: "stdin: a prompt may be at most 16 MiB" };
  const text = [given, piped].filter((part) => part.trim() !== "").join("\n\n");
  if (text === "")
    return { kind: "refused", message: 'There is no prompt. Write one, such as: tacklebox run "list my files"' };
  return { kind: "ok", text };
}

/** If no input arrives for a while, says that it is waiting; or gives up, where stdin `maySendNothing`. */
async function readPiped(io: Io, clock: Clock, maySendNothing: boolean): Promise<string | undefined> {
  const givenUp = new AbortController();
  let begun = false;
  const cancelNotice = clock.after(NOTICE_AFTER_MS, () => {
    if (begun) return;
    void io.stderr.write(maySendNothing ? GOING_ON : WAITING);
    if (maySendNothing) givenUp.abort();
  });
  const chunks = readChunks(io.stdin, givenUp.signal);
  const noteBegin = async function* () {
    for await (const chunk of chunks) {
      begun = true;
      yield chunk;
    }
  };
  try {
    const text = await collectText(noteBegin(), MAX_INPUT_BYTES);
    return text?.replace(/\r?\n$/, "");
  } finally {
    cancelNotice();
  }
}

const WAITING = "Waiting for the rest of the prompt on stdin. To run without it, add: < /dev/null\n";
const GOING_ON =
  "Nothing arrived on stdin within 3 s, so only the argument is used. To wait for stdin: tacklebox run -\n";
