import type { Gpt } from "./domain/gpt.ts";
import type { CallLogSettings } from "./domain/limits.ts";
import type { ModelDefinition } from "./domain/model.ts";
import type { ServerDefinition } from "./domain/server.ts";
import type { ToolboxSettings } from "./domain/tool.ts";
import type { Engine } from "./engine.ts";

/** What a config file, or a page, asks an engine to be. */
export interface EngineConfig {
  readonly toolbox: ToolboxSettings;
  readonly servers: readonly ServerDefinition[];
  /** Models of the config file; those of the environment are not here. */
  readonly models?: readonly ModelDefinition[];
  /** Assistants of the config file. */
  readonly gpts?: readonly Gpt[];
  /** Absent: the engine removes no calls by itself. Durability is the store's to keep; the engine does not read it. */
  readonly calls?: CallLogSettings;
}

/** An engine and its life. Only the process that made it holds this; doors get the engine alone. */
export interface EngineHost {
  readonly engine: Engine;
  /** Connects every enabled server in parallel and registers tools in configuration order. Problems are values. */
  start(signal?: AbortSignal): Promise<StartReport>;
  /** Refuses new calls, lets running ones end within `drainMs`, then closes everything. A second stop waits for the first. */
  stop(drainMs?: number): Promise<void>;
  /**
   * Becomes what `config` says: only servers whose connection settings changed are reconnected, running calls end on
   * the connection they began on. Problems are values; the rest of the change still counts.
   */
  reload(config: EngineConfig): Promise<ReloadReport>;
  /** Ends what processes that died left open in the call log; returns how many calls. Starting does so, too. */
  recover(): Promise<number>;
}

export interface ReloadReport {
  /** One line for people per thing that changed; empty when nothing did. */
  readonly changes: readonly string[];
  readonly problems: readonly StartProblem[];
}

/** A problem that keeps an operator's toolbox from starting. `text` is shown raw. */
export interface StartProblem {
  readonly kind: "unreachable" | "strict-violation" | "local-unconfigured" | "misconfigured";
  readonly server?: string;
  readonly tool?: string;
  readonly text: string;
}

export interface StartReport {
  readonly problems: readonly StartProblem[];
}
