import { StoreError } from "@tacklebox/core";
import type { CommonOptions, Context } from "../../command-options.ts";
import { dataFolder } from "../../config-file/folders.ts";
import { EXIT, type ExitCode } from "../../exit-code.ts";
import { callLogFile } from "../../open-store.ts";
import { toVerifyJson } from "../../output/json/verify-json.ts";
import { printJson, printProblems } from "../../output/print.ts";
import { printableText } from "../../output/printable.ts";
import { formatVerification, isIntact } from "../../output/reports/verify-report.ts";
import { hasStore, verifyCalls } from "../../store-upkeep.ts";

export interface VerifyOptions extends CommonOptions {
  /** A hash that an earlier run printed, and that must still be in the chain. */
  readonly expect: string | undefined;
}

/** Checks that no ended call was changed, added or removed behind our back. Starts no server and needs no config. */
export async function run({ io }: Context, { expect, json }: VerifyOptions): Promise<ExitCode> {
  const folder = dataFolder(io);
  if (!(await hasStore(folder))) {
    await printProblems(io, [`There is no call log yet: ${callLogFile(folder)} does not exist.`]);
    return EXIT.couldNotStart;
  }
  try {
    const report = await verifyCalls(folder, expect);
    await (json ? printJson(io, toVerifyJson(report)) : io.stdout.write(printableText(formatVerification(report))));
    return isIntact(report) ? EXIT.ok : EXIT.couldNotStart;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    await printProblems(io, [error.message]);
    return EXIT.couldNotStart;
  }
}
