import { type Logger, type LogLevel, redactJson } from "@tacklebox/core";
import { LOG_LEVELS, type LogFormat } from "./command-options.ts";
import { printableJson, printableText } from "./output/printable.ts";

export interface LoggerOptions {
  readonly format: LogFormat;
  readonly level: LogLevel;
  readonly write: (line: string) => void;
  /** Strikes secrets out of texts and fields. */
  readonly redact: (text: string) => string;
}

/** Text: `level text` for people. JSON: one object a line with level, time, msg and the fields. */
export async function createLogger(options: LoggerOptions): Promise<Logger> {
  return options.format === "json" ? createJsonLogger(options) : createTextLogger(options);
}

function createTextLogger({ level: lowest, write, redact }: LoggerOptions): Logger {
  return {
    log(level, text, fields) {
      // Commands print what kept them from starting themselves, raw; people need it once.
      if (fields?.startProblem === true) return;
      if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(lowest)) return;
      write(`${level} ${printableText(redact(text))}\n`);
    },
  };
}

async function createJsonLogger({ level, write, redact }: LoggerOptions): Promise<Logger> {
  const { pino, stdTimeFunctions } = await import("pino");
  const logger = pino(
    { level, base: null, timestamp: stdTimeFunctions.isoTime, formatters: { level: (label) => ({ level: label }) } },
    { write: (line: string) => write(printableJson(line)) },
  );
  return {
    log: (level, text, fields = {}) => logger[level](redactJson(redact, fields), redact(text)),
  };
}

/** Passes every line on and tells the texts of warnings, for reports. */
export function collectWarnings(logger: Logger, onWarning: (text: string) => void): Logger {
  return {
    log(level, text, fields) {
      if (level === "warn") onWarning(text);
      logger.log(level, text, fields);
    },
  };
}
