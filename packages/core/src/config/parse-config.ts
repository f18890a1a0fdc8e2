import { type CallLogSettings, DEFAULT_CALL_LOG } from "../domain/limits.ts";
import type { EngineConfig } from "../engine-host.ts";
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

export interface ParseConfigOptions {
  /** Named in problems; a name that ends in `.json` or `.jsonc` may hold comments. */
  readonly file: string;
  /** The only place `${VAR}` is looked up in. */
  readonly env: Environment;
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

/** Reads a config file's text, in whichever dialect it is written. Reports every problem at once, in the order of the file. */
export function parseConfig(text: string, { file, env }: ParseConfigOptions): ParsedConfig {
  const reading = readDocument(text, file);
  if (reading.kind === "invalid") return reading;
  const { document } = reading;
  const detection = detectDialect(document.value);
  if (detection.kind === "invalid") {
    return { kind: "invalid", problems: document.toProblems([{ ...detection, at: "key" }]) };
  }
  const report = new Report();
  const { root, overrides, problems } = applyOverrides(document.value, env);
  const { calls = DEFAULT_CALL_LOG, ...config } = READERS[detection.dialect](root, { file, env, report });
  const locate = (findings: readonly Finding[]) => locateFindings(findings, overrides, document);
  if (problems.length + report.problems.length > 0)
    return { kind: "invalid", problems: [...problems, ...locate(report.problems)] };
  return { kind: "ok", dialect: detection.dialect, config, calls, warnings: locate(report.warnings) };
}

/** What the environment said is not in the file, so problems with it name the variable instead of a line. */
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
