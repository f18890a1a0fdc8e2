export type LogLevel = "debug" | "info" | "warn" | "error";

/** Receives log lines. Implementations redact secrets and never write to stdout. */
export interface Logger {
  log(level: LogLevel, text: string, fields?: Readonly<Record<string, unknown>>): void;
}
