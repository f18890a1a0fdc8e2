import type { CommonOptions, Context } from "../command-options.ts";
import { dataFolder } from "../config-file/folders.ts";
import { checkConfig } from "../doctor/check-config.ts";
import { checkData } from "../doctor/check-data.ts";
import { checkModels } from "../doctor/check-models.ts";
import { checkNode } from "../doctor/check-node.ts";
import { checkServers } from "../doctor/check-servers.ts";
import { checkStructure, toStoreFinding } from "../doctor/check-store.ts";
import { checkVault } from "../doctor/check-vault.ts";
import type { DoctorFinding } from "../doctor/finding.ts";
import { repair } from "../doctor/repair-store.ts";
import { openEngine } from "../engine/open.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { watchSignals } from "../interruption.ts";
import { choosePaint } from "../output/colour.ts";
import { printJson } from "../output/print.ts";
import { type DoctorJson, formatFinding, formatSummary } from "../output/reports/doctor-report.ts";

export interface DoctorOptions extends CommonOptions {
  /** Whether to repair the store, and look at nothing else. */
  readonly repair: boolean;
}

/** Checks everything a run needs, one thing after the other. Goes on after a problem wherever that is possible. */
export async function run(context: Context, options: DoctorOptions): Promise<ExitCode> {
  const { io } = context;
  const paint = choosePaint(io.stdoutIsTerminal, io.env);
  const { interrupted, terminated, dispose } = watchSignals(io.control);
  const findings: DoctorFinding[] = [];
  try {
    for await (const finding of examine(context, options, AbortSignal.any([interrupted, terminated]))) {
      findings.push(finding);
      if (!options.json) await io.stdout.write(formatFinding(finding, paint));
    }
  } catch (error) {
    if (interrupted.aborted || terminated.aborted) return EXIT.interrupted;
    throw error;
  } finally {
    dispose();
  }
  if (interrupted.aborted || terminated.aborted) return EXIT.interrupted;
  const ok = findings.every(({ verdict }) => verdict !== "problem");
  await (options.json
    ? printJson(io, { ok, findings } satisfies DoctorJson)
    : io.stdout.write(formatSummary(findings)));
  return ok ? EXIT.ok : EXIT.couldNotStart;
}

async function* examine(context: Context, options: DoctorOptions, signal: AbortSignal): AsyncGenerator<DoctorFinding> {
  const { io } = context;
  if (options.repair) {
    yield* await repair(dataFolder(io)).catch((error: unknown) => [toStoreFinding(error)]);
    return;
  }
  yield checkNode(io.nodeVersion);
  const { findings, loaded } = await checkConfig(options.config, io);
  yield* findings;
  const opened = await openEngine(context, {
    common: options,
    defaultLevel: "error",
    // Problems are reported as findings only.
    writeLog: () => undefined,
    // Models from the environment can be checked even if the config is missing or cannot be used.
    config: loaded ?? "none",
  });
  if (opened.kind === "refused") {
    yield* opened.messages.map((text): DoctorFinding => ({ about: "data", verdict: "problem", text }));
    return;
  }
  const { engine } = opened;
  const folder = dataFolder(io);
  try {
    yield await checkData(folder);
    const found = opened.warnings.filter((text) => !findings.some((finding) => finding.text === text));
    yield* found.map((text): DoctorFinding => ({ about: "data", verdict: "warn", text }));
    const structure = await checkStructure(folder);
    yield structure;
    // Whatever else is stored there could not be relied on.
    if (structure.verdict === "problem") return;
    yield* await checkVault(engine, folder, io.env);
    const servers = await checkServers(opened, signal);
    if (signal.aborted) return;
    yield* servers;
    yield* await checkModels(engine);
  } catch (error) {
    yield toStoreFinding(error);
  } finally {
    await opened.detach();
  }
}
