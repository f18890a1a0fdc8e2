import { type Logger, type LogLevel, redactJson } from "@tacklebox/core";
import { LOG_LEVELS, type LogFormat } from "./command-options.ts";
import { printableJson, printableText } from "./output/printable.ts";

export interface LoggerOptions {
  readonly format: LogFormat;
  readonly level: LogLevel;
  readonly write: (line: string) => void;
  /** Strikes secrets out of texts and fields. */
  readonly redact: (text: string) => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Text: `level text` for people. JSON: one object a line with level, time, the fields and msg. */
export function createLogger(options: LoggerOptions): Logger {
  return options.format === "json" ? createJsonLogger(options) : createTextLogger(options);
}

function createTextLogger({ level: lowest, write, redact }: LoggerOptions): Logger {
  return {
    log(level, text, fields) {
      // Commands print what kept them from starting themselves, raw; people need it once.
      if (fields?.startProblem === true) return;
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
    // Ours come last as well, so that no field can pass for one of them.
    return JSON.stringify({ ...head, ...fields, ...own });
  } catch {
    // What JSON cannot hold, such as a bigint, must not cost the text.
    return JSON.stringify({ ...head, fields: "[not JSON]", ...own });
  }
}

function isBelow(level: LogLevel, lowest: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(lowest);
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
