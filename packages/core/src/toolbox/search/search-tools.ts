import type { FoundTool } from "../../domain/selection.ts";
import type { RegisteredTool } from "../../domain/tool.ts";

/** Finds tools by words among those given. Once `signal` is aborted nobody waits for more than is found already. */
export type SearchTools = (
  query: string,
  among: readonly RegisteredTool[],
  limit: number,
  signal?: AbortSignal,
) => Promise<readonly FoundTool[]>;

/** Always sent, never searched (S3.11), unless whoever brought it said otherwise (S3.28). */
export function isBrought({ ref, include }: RegisteredTool): boolean {
  return ref.scope === "session" && include === "always";
}
