import { type CallLogSettings, DEFAULT_CALL_LOG } from "../domain/limits.ts";
import type { EngineConfig } from "../engine-host.ts";
import type { Advice } from "../ports/advice.ts";
import { applyOverrides, type Override, sourceOf } from "./apply-overrides.ts";
import { detectDialect } from "./dialects/detect-dialect.ts";
import type { Dialect, DialectReader } from "./dialects/dialect.ts";
import { readGateway } from "./dialects/gateway-dialect.ts";
import { readMcpServers } from "./dialects/mcp-servers-dialect.ts";
import { readNative } from "./dialects/native-dialect.ts";
import { readToolbox } from "./dialects/toolbox-dialect.ts";
import type { ConfigProblem } from "./document/config-problem.ts";
import { startsWith } from "./document/path.ts";
import { readDocument } from "./document/read-document.ts";
import { type Finding, Report } from "./document/report.ts";
import type { Environment } from "./fill-variables.ts";
import { createPlaces } from "./place-settings.ts";

export interface ParseConfigOptions {
  /** The file's name, for problems; a file whose name ends in `.json` or `.jsonc` may contain comments. */
  readonly file: string;
  /** The only place where `${VAR}` is looked up. */
  readonly env: Environment;
  /** The commands that problems suggest; without it they name none. */
  readonly advice?: Pick<Advice, "storeSecret">;
}

export type ParsedConfig =
  | {
      readonly kind: "ok";
      readonly dialect: Dialect;
      readonly config: Omit<EngineConfig, "calls">;
      readonly calls: CallLogSettings;
      readonly warnings: readonly ConfigProblem[];
    }
  | { readonly kind: "invalid"; readonly problems: readonly ConfigProblem[] };

/** Parses a config file in any dialect. Reports every problem at once, in the order of the file. */
export function parseConfig(text: string, { file, env, advice }: ParseConfigOptions): ParsedConfig {
  const reading = readDocument(text, file);
  if (reading.kind === "invalid") return reading;
  const { document } = reading;
  const detection = detectDialect(document.value);
  if (detection.kind === "invalid") {
    return { kind: "invalid", problems: document.toProblems([{ ...detection, at: "key" }]) };
  }
  const report = new Report(advice);
  const { root, overrides, problems } = applyOverrides(document.value, env);
  const { calls = DEFAULT_CALL_LOG, ...config } = READERS[detection.dialect](root, { file, env, report });
  const locate = (findings: readonly Finding[]) => locateFindings(findings, overrides, document);
  if (problems.length + report.problems.length > 0)
    return { kind: "invalid", problems: [...problems, ...locate(report.problems)] };
  const { fromEnvironment } = report;
  const placeOf = createPlaces({ dialect: detection.dialect, file, document, root, overrides });
  return {
    kind: "ok",
    dialect: detection.dialect,
    config: { ...config, placeOf, ...(fromEnvironment.size > 0 && { fromEnvironment: [...fromEnvironment] }) },
    calls,
    warnings: locate(report.warnings),
  };
}

/** Values from the environment are not in the file, so problems with them name the variable instead of a line. */
function locateFindings(
  findings: readonly Finding[],
  overrides: readonly Override[],
  document: { toProblems(findings: readonly Finding[]): readonly ConfigProblem[] },
): readonly ConfigProblem[] {
  const variableOf = ({ path }: Finding) => overrides.findLast((override) => startsWith(path, override.path))?.variable;
  const fromEnvironment = findings.flatMap((finding) => {
    const variable = variableOf(finding);
    return variable === undefined ? [] : [{ file: sourceOf(variable), message: finding.message }];
  });
  return [...fromEnvironment, ...document.toProblems(findings.filter((finding) => variableOf(finding) === undefined))];
}

const READERS = {
  native: readNative,
  toolbox: readToolbox,
  gateway: readGateway,
  "mcp-servers": readMcpServers,
} satisfies Record<Dialect, DialectReader>;
