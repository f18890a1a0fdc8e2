import type { CommonOptions, Context } from "../command-options.ts";
import { describeProposal } from "../config-file/agreement/describe-proposal.ts";
import { placeOfFile } from "../config-file/agreement/file-place.ts";
import { namedOrFound } from "../config-file/agreement/named-or-found.ts";
import { findRecord, saveRecord } from "../config-file/agreement/records.ts";
import { demandsOf, isFor, toAllowed } from "../config-file/agreement/require-agreement.ts";
import { quoteForShell } from "../config-file/quote-for-shell.ts";
import { readConfigBytes } from "../config-file/read-bytes.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import type { AllowJson } from "../output/json/agreement-json.ts";
import { printJson, printProblems } from "../output/print.ts";
import { printableText } from "../output/printable.ts";

export interface AllowOptions extends CommonOptions {
  readonly file: string | undefined;
}

/** Agrees to a config file as it is now, and shows all that it asks for. The command is the yes. */
export async function run({ io }: Context, options: AllowOptions): Promise<ExitCode> {
  const named = namedOrFound(options.file ?? options.config, io);
  if (named.kind === "refused") return refuse(io, [named.message]);
  const { file } = named;
  const at = await placeOfFile(file).catch(() => undefined);
  const read = await readConfigBytes(file, "regular file", at?.target);
  if (read.kind === "unreadable") return refuse(io, [read.message]);
  if (at === undefined) return refuse(io, [`${file}\nThe file was replaced just now. Try again.`]);
  const shown = await demandsOf(file, read.bytes);
  if (shown.kind === "invalid") return refuse(io, [`${file}\nNothing was agreed to.`, ...shown.problems]);

  const { demands } = shown;
  const found = await findRecord(at.place, io);
  const before = found.kind === "found" && found.record.decision === "allowed" ? found.record : undefined;
  const isAgreed = before !== undefined && isFor(before, at, read.bytes);
  const fault = isAgreed ? undefined : await saveRecord(toAllowed(at, read.bytes, demands), io);
  if (fault !== undefined) return refuse(io, [fault]);

  if (options.json) {
    const asksFor = demands.entries.map(({ what, name, lines }) => ({
      what,
      name,
      lines: lines.map(({ label, text }) => ({ label, text })),
    }));
    const result = isAgreed ? "unchanged" : "allowed";
    const { variables, secrets } = demands;
    await printJson(io, { file, result, asks_for: asksFor, variables, secrets } satisfies AllowJson);
    return EXIT.ok;
  }
  const proposal = describeProposal({ file, demands, before: isAgreed ? undefined : before });
  await io.stdout.write(printableText(`${proposal}\n${describeResult(file, isAgreed)}\n`));
  return EXIT.ok;
}

function describeResult(file: string, isAgreed: boolean): string {
  const done = isAgreed
    ? "You have already agreed to it."
    : "Agreed. Commands run in its folder use it until it changes.";
  return `${done}\nTo take that back: tacklebox deny ${quoteForShell(file)}`;
}

async function refuse(io: Io, messages: readonly string[]): Promise<ExitCode> {
  await printProblems(io, messages);
  return EXIT.couldNotStart;
}
