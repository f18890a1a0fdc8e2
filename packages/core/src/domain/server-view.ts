import type { ConnectionRetry, ConnectionStatus, Oddity, ServerInfo } from "./connection.ts";
import type { Failure } from "./failure.ts";
import type { Transport } from "./launch.ts";
import type { Prompt, Resource, ResourceTemplate } from "./offer.ts";
import type { ServerDefinition } from "./server.ts";
import type { QuarantinedTool } from "./tool.ts";

/** A server as people see it: its settings and its state. Its launch, which holds secrets, stays inside the engine. */
export interface ServerView extends Omit<ServerDefinition, "launch" | "tools"> {
  /** The configured transport; the one in use is in `info`. */
  readonly transport: Transport;
  /** The server's address for people: never with a query, a password or a header. */
  readonly address: string;
  readonly status: ConnectionStatus | "disabled";
  /** Why it is not connected, or what is wrong although it is, for people. */
  readonly cause?: string;
  readonly info?: ServerInfo;
  /** Set while the server is down: how often it failed in a row, and when it is tried next. */
  readonly retry?: ConnectionRetry;
  /** How often the server sent something that has no place in the protocol; kinds that never occurred are absent. */
  readonly oddities: Readonly<Partial<Record<Oddity, number>>>;
  readonly toolCount: number;
  readonly quarantined: readonly QuarantinedTool[];
  /** The tools of this server that asked for a name which belongs to another tool. */
  readonly nameConflicts: readonly ServerNameConflict[];
}

export interface ServerNameConflict {
  readonly tool: string;
  readonly wanted: string;
  readonly holder: { readonly server: string; readonly tool: string };
  /** The name it is shown by instead; absent if it has none. */
  readonly shownName?: string;
}

export interface ServerOffers {
  readonly server: string;
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly prompts: readonly Prompt[];
  /** Set when the server could not be asked. */
  readonly failure?: Failure;
}

export interface ToolExplanation {
  readonly server: string;
  readonly tool: string;
  readonly shownName?: string;
  readonly callable: boolean;
  readonly steps: readonly ExplanationStep[];
}

export interface ExplanationStep {
  readonly step:
    | "declared"
    | "mode"
    | "allow/deny"
    | "collision"
    | "pin"
    | "limits"
    | "approval"
    | "headers"
    | "result";
  readonly verdict: "ok" | "warn" | "stop";
  readonly text: string;
}
