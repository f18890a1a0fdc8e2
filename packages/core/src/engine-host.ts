import type { Gpt } from "./domain/gpt.ts";
import type { CallLogSettings } from "./domain/limits.ts";
import type { ModelDefinition } from "./domain/model.ts";
import type { ServerDefinition } from "./domain/server.ts";
import type { ToolboxSettings } from "./domain/tool.ts";
import type { Engine } from "./engine.ts";
import type { PlaceOf } from "./ports/setting-place.ts";

/** The configuration of an engine, as a config file or a web page gives it. */
export interface EngineConfig {
  /**
   * Where the configuration comes from, such as the path of its file; the one that the engine was created with counts.
   * Tools keep their names under it from one start to the next. If absent, they do so until the engine stops.
   */
  readonly source?: string;
  readonly toolbox: ToolboxSettings;
  readonly servers: readonly ServerDefinition[];
  /** The models of the config file; models found in the environment are not included. */
  readonly models?: readonly ModelDefinition[];
  /** The GPTs of the config file. */
  readonly gpts?: readonly Gpt[];
  /** If absent, the engine removes no calls. The `durability` setting is for the store; the engine does not read it. */
  readonly calls?: CallLogSettings;
  /** Values of environment variables that stand where credentials do, to be redacted everywhere. */
  readonly fromEnvironment?: readonly string[];
  /** Where settings are written, for messages about what they keep out. */
  readonly placeOf?: PlaceOf;
}

/** An engine and control over its lifecycle. Only the process that created it has this; doors get just the engine. */
export interface EngineHost {
  readonly engine: Engine;
  /**
   * Connects enabled servers in parallel and registers tools in configuration order: every server, unless `plan` says
   * otherwise. Problems are values.
   */
  start(signal?: AbortSignal, plan?: StartPlan): Promise<StartReport>;
  /** Resolves when no server that was to join later is still connecting for the first time. */
  joined(): Promise<void>;
  /**
   * Refuses new calls, lets running ones end within `drainMs`, then closes everything. A second stop waits for the
   * first.
   */
  stop(drainMs?: number): Promise<void>;
  /**
   * Applies a new configuration. Only servers whose connection settings changed are reconnected, and running calls end
   * on the connection they began on. Waits for new servers as the start did. Problems are values; the rest of the change
   * still takes effect.
   */
  reload(config: EngineConfig): Promise<ReloadReport>;
  /**
   * Marks calls that dead processes left open in the call log as ended; resolves to their number. `start` does so too.
   */
  recover(): Promise<number>;
}

/** Which servers a start connects, and which of them it waits for. */
export type StartPlan =
  /** Connects every server, and waits until each is up or has failed. */
  | { readonly kind: "everything" }
  /**
   * Connects every server, but waits only for required ones, and 1 s for strict ones, whose list can refuse the start. The
   * others join when they are up; a call for one that is still coming waits for it.
   */
  | { readonly kind: "join-later" }
  /** Connects only this server and the required ones. */
  | { readonly kind: "one-server"; readonly server: string };

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
