import { Writable } from "node:stream";
import type { Io } from "./io.ts";

export type ReadSecret =
  | { readonly kind: "ok"; readonly value: string }
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "cancelled" };

const LARGEST_SECRET_BYTES = 64 * 1024;

/** Reads a secret's value: asks without echo on a terminal, otherwise takes the whole of stdin. */
export async function readSecret(name: string, io: Io): Promise<ReadSecret> {
  const isTerminal = "isTTY" in io.stdin && io.stdin.isTTY === true;
  const read = isTerminal ? await askHidden(name, io) : await readPiped(io);
  if (read.kind !== "ok") return read;
  if (read.value === "")
    return refused(
      `There is no value to store. Type it at the prompt, or pipe it in: tacklebox secret set ${name} < file`,
    );
  if (read.value.includes("\0"))
    return refused("The value contains a NUL character, which neither a header nor an environment variable can hold.");
  return read;
}

async function readPiped(io: Io): Promise<ReadSecret> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of io.stdin) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > LARGEST_SECRET_BYTES) return refused("The value is larger than 64 KB. Is this the right file?");
    chunks.push(bytes);
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
    // The final line break comes from the program that printed the value and is not part of it.
    return { kind: "ok", value: text.replace(/\r?\n$/, "") };
  } catch {
    return refused("The value is not UTF-8 text. Encode it first, for example in base64.");
  }
}

async function askHidden(name: string, io: Io): Promise<ReadSecret> {
  const { isCancel, password } = await import("@clack/prompts");
  const screen = new Writable({
    write(chunk, _encoding, done) {
      void io.stderr.write(String(chunk));
      done();
    },
  });
  // Asks on stderr, so that stdout holds only what scripts read.
  const output = Object.assign(screen, { isTTY: true, columns: io.stderrColumns ?? 80 });
  const answer = await password({ message: `Value of ${name}`, input: io.stdin, output });
  return isCancel(answer) ? { kind: "cancelled" } : { kind: "ok", value: answer ?? "" };
}

function refused(message: string): ReadSecret {
  return { kind: "refused", message };
}
