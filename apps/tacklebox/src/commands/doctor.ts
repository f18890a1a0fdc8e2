import { createKnownSecrets, type Logger, secretsOf, secretsOfModel } from "@tacklebox/core";
import type { CommonOptions, Context } from "../command-options.ts";
import { dataFolder } from "../config-file/folders.ts";
import { emptyConfig } from "../config-file/load-optional-config.ts";
import { type CheckedConfig, checkConfig } from "../doctor/check-config.ts";
import { checkData } from "../doctor/check-data.ts";
import { checkModels } from "../doctor/check-models.ts";
import { checkNode } from "../doctor/check-node.ts";
import { checkServers } from "../doctor/check-servers.ts";
import { checkVault } from "../doctor/check-vault.ts";
import type { Finding } from "../doctor/finding.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { watchSignals } from "../interruption.ts";
import { noMetrics } from "../metrics.ts";
import { openStore } from "../open-engine.ts";
import { choosePaint } from "../output/colour.ts";
import { type DoctorJson, formatFinding, formatSummary } from "../output/doctor-report.ts";
import { printJson } from "../output/print.ts";

/** Looks at everything a run needs, one after the other. A problem hides nothing but what cannot be without it. */
export async function run(context: Context, options: CommonOptions): Promise<ExitCode> {
  const { io } = context;
  const paint = choosePaint(io.stdoutIsTerminal, io.env);
  const { interrupted, terminated, dispose } = watchSignals(io.control);
  const findings: Finding[] = [];
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

async function* examine(context: Context, options: CommonOptions, signal: AbortSignal): AsyncGenerator<Finding> {
  const { io } = context;
  yield checkNode(io.nodeVersion);
  const checked = await checkConfig(options.config, io);
  yield* checked.findings;
  const folder = dataFolder(io);
  const opened = await openStore(folder);
  if (opened.kind === "refused") {
    yield { about: "data", verdict: "problem", text: opened.message };
    return;
  }
  try {
    yield await checkData(folder);
    yield* await checkVault(folder, opened.store, io.env);
  } finally {
    await opened.store.close();
  }
  yield* examineEngine(context, checked, signal);
}

/** What was found out is told as findings, and only there. */
const silent: Logger = { log: () => undefined };

async function* examineEngine(
  { io, openEngine }: Context,
  checked: CheckedConfig,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  // Models of the environment are there without a config, and beside one that cannot be used.
  const { config = emptyConfig(), file = "the config" } = checked;
  const knownSecrets = createKnownSecrets();
  knownSecrets.add([...config.servers.flatMap(secretsOf), ...(config.models ?? []).flatMap(secretsOfModel)]);
  const opened = await openEngine({
    config,
    dataFolder: dataFolder(io),
    env: io.env,
    logger: silent,
    metrics: noMetrics,
    knownSecrets,
  });
  if (opened.kind === "refused") {
    yield { about: "data", verdict: "problem", text: opened.message };
    return;
  }
  const { engine } = opened;
  try {
    yield* await checkServers(engine, file, knownSecrets.redact, signal);
    yield* await checkModels(engine, knownSecrets.redact);
  } finally {
    await engine.stop(0);
    await opened.close();
  }
}
