export type LogLevel = "debug" | "info" | "warn" | "error";

/** Where log lines go. Adapters strike secrets out and never write to stdout. */
export interface Logger {
  log(level: LogLevel, text: string, fields?: Readonly<Record<string, unknown>>): void;
}
