import type { Logger, LogLevel } from "../ports/logger.ts";

export interface RecordingLogger extends Logger {
  readonly lines: { readonly level: LogLevel; readonly text: string }[];
  texts(level: LogLevel): string[];
}

export function createRecordingLogger(): RecordingLogger {
  const lines: RecordingLogger["lines"] = [];
  return {
    lines,
    log: (level, text) => void lines.push({ level, text }),
    texts: (level) => lines.filter((line) => line.level === level).map(({ text }) => text),
  };
}
