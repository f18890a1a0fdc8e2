import type { FoundTool } from "../../domain/selection.ts";
import type { RegisteredTool } from "../../domain/tool.ts";

/** Finds tools by words among those given. If `signal` is aborted, it resolves with what has been found so far. */
export type SearchTools = (
  query: string,
  among: readonly RegisteredTool[],
  limit: number,
  signal?: AbortSignal,
) => Promise<readonly FoundTool[]>;

/** Whether a tool of a session's own server is sent with every request and therefore never searched (S3.11). */
export function isAlwaysSent({ ref, include }: RegisteredTool): boolean {
  return ref.scope === "session" && include === "always";
}
