import type { CommonOptions, Context } from "../command-options.ts";
import { placeOf } from "../config-file/agreement/file-place.ts";
import { namedOrFound } from "../config-file/agreement/named-or-found.ts";
import { findRecord, saveRecord } from "../config-file/agreement/records.ts";
import { allowCommand } from "../config-file/agreement/refusals.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import type { DenyJson } from "../output/json/agreement-json.ts";
import { printJson, printProblems } from "../output/print.ts";
import { printableText } from "../output/printable.ts";

export interface DenyOptions extends CommonOptions {
  readonly file: string | undefined;
}

/** Takes an agreement back. Does not read the file, which need not exist. */
export async function run({ io }: Context, options: DenyOptions): Promise<ExitCode> {
  const named = namedOrFound(options.file ?? options.config, io);
  if (named.kind === "refused") return refuse(io, named.message);
  const { file } = named;
  const place = await placeOf(file).catch(() => undefined);
  if (place === undefined) return refuse(io, `${file}\nThere is no such folder.`);
  const found = await findRecord(place, io);
  const wasDenied = found.kind === "found" && found.record.decision === "denied";
  const denied = { decision: "denied", place, at: new Date().toISOString() } as const;
  const fault = wasDenied ? undefined : await saveRecord(denied, io);
  if (fault !== undefined) return refuse(io, fault);

  if (options.json) await printJson(io, { file, result: wasDenied ? "unchanged" : "denied" } satisfies DenyJson);
  else await io.stdout.write(printableText(describeDone(file, wasDenied)));
  return EXIT.ok;
}

function describeDone(file: string, wasDenied: boolean): string {
  const done = wasDenied ? "It was already denied." : "Commands in its folder now refuse it without asking.";
  return `${file}\n${done}\nTo agree to it: ${allowCommand(file)}\n`;
}

async function refuse(io: Io, message: string): Promise<ExitCode> {
  await printProblems(io, [message]);
  return EXIT.couldNotStart;
}
