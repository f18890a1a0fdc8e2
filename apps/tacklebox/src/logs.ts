import { type Logger, type LogLevel, redactJson } from "@tacklebox/core";
import { LOG_LEVELS, type LogFormat } from "./command-options.ts";
import { printableJson, printableText } from "./output/printable.ts";

export interface LoggerOptions {
  readonly format: LogFormat;
  readonly level: LogLevel;
  readonly write: (line: string) => void;
  /** Whether what kept the toolbox from starting is logged too. */
  readonly startProblems: "logged" | "left-out";
  /** Redacts secrets in texts and fields. */
  readonly redact: (text: string) => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The text format is `level text`; the JSON format is one object per line with level, time, the fields and msg. */
export function createLogger(options: LoggerOptions): Logger {
  const logger = options.format === "json" ? createJsonLogger(options) : createTextLogger(options);
  return options.startProblems === "logged" ? logger : withoutStartProblems(logger);
}

/** Commands print start problems themselves, and each of them should be read only once. */
function withoutStartProblems(logger: Logger): Logger {
  return {
    log(level, text, fields) {
      if (fields?.startProblem !== true) logger.log(level, text, fields);
    },
  };
}

function createTextLogger({ level: lowest, write, redact }: LoggerOptions): Logger {
  return {
    log(level, text) {
      if (isBelow(level, lowest)) return;
      write(`${level} ${printableText(redact(text))}\n`);
    },
  };
}

function createJsonLogger({ level: lowest, write, redact, now }: LoggerOptions): Logger {
  return {
    log(level, text, fields = {}) {
      if (isBelow(level, lowest)) return;
      const own = { level, time: new Date(now()).toISOString(), msg: redact(text) };
      write(`${printableJson(toJson(own, redactJson(redact, fields)))}\n`);
    },
  };
}

interface OwnMembers {
  readonly level: LogLevel;
  readonly time: string;
  readonly msg: string;
}

function toJson(own: OwnMembers, fields: Readonly<Record<string, unknown>>): string {
  const { msg: _, ...head } = own;
  try {
    // Our own members are repeated at the end, so that no field can overwrite one of them.
    return JSON.stringify({ ...head, ...fields, ...own });
  } catch {
    // A field that JSON cannot hold, such as a bigint, must not cost us the message.
    return JSON.stringify({ ...head, fields: "[not JSON]", ...own });
  }
}

function isBelow(level: LogLevel, lowest: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(lowest);
}

/** Passes every line on to `logger`, and the text of each warning to `onWarning`. */
export function collectWarnings(logger: Logger, onWarning: (text: string) => void): Logger {
  return {
    log(level, text, fields) {
      if (level === "warn") onWarning(text);
      logger.log(level, text, fields);
    },
  };
}

/** Logs what was thrown and should not have been. It may hold anything, so nobody else is told. */
export function logBug(logger: Logger, what: string, error: unknown): void {
  const fields = error instanceof Error ? { error: error.message, stack: error.stack } : { error: String(error) };
  logger.log("error", `${what} because of a bug in Tacklebox`, fields);
}
