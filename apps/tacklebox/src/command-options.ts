import type { LogLevel } from "@tacklebox/core";
import type { OpenEngine } from "./compose-engine.ts";
import type { Io } from "./io.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const satisfies readonly LogLevel[];
export const LOG_FORMATS = ["json", "text"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Passed to every command. */
export interface Context {
  readonly io: Io;
  readonly openEngine: OpenEngine;
}

/** Options that every command accepts. */
export interface CommonOptions {
  readonly config: string | undefined;
  readonly json: boolean;
  readonly logLevel: LogLevel | undefined;
  readonly logFormat: LogFormat | undefined;
}
