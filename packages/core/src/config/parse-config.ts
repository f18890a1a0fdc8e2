import type { EngineConfig } from "../domain/engine.ts";
import type { ConfigProblem } from "./config-problem.ts";
import { detectDialect } from "./detect-dialect.ts";
import type { Dialect, DialectReader } from "./dialect.ts";
import type { Environment } from "./fill-variables.ts";
import { readGateway } from "./gateway-dialect.ts";
import { readMcpServers } from "./mcp-servers-dialect.ts";
import { readNative } from "./native-dialect.ts";
import { readDocument } from "./read-document.ts";
import { Report } from "./report.ts";
import { readToolbox } from "./toolbox-dialect.ts";

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
      readonly config: EngineConfig;
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
  const config = READERS[detection.dialect](document.value, { env, report });
  if (report.problems.length > 0) return { kind: "invalid", problems: document.toProblems(report.problems) };
  return { kind: "ok", dialect: detection.dialect, config, warnings: document.toProblems(report.warnings) };
}

const READERS = {
  native: readNative,
  toolbox: readToolbox,
  gateway: readGateway,
  "mcp-servers": readMcpServers,
} satisfies Record<Dialect, DialectReader>;
