import { ConnectionError, type Json, type RawToolList } from "@tacklebox/core";
import type { Wire } from "./wire.ts";

const MAX_PAGES = 64;
const MAX_TOOLS = 5000;

/** Reads every page of `tools/list`, entries untouched. At a cap, what was read is kept and the list says so. */
export async function listTools(wire: Wire, signal: AbortSignal): Promise<RawToolList> {
  const entries: Json[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const result = await wire.send({ method: "tools/list", params, signal }).answer;
    if (!Array.isArray(result.tools)) {
      throw new ConnectionError("protocol-error", 'The server answered "tools/list" without a list of tools.');
    }
    for (const entry of result.tools) entries.push(entry);
    if (entries.length > MAX_TOOLS) {
      return { entries: entries.slice(0, MAX_TOOLS), truncated: `more than ${MAX_TOOLS} tools` };
    }
    cursor = typeof result.nextCursor === "string" ? result.nextCursor : undefined;
    if (cursor === undefined) return { entries };
    if (seen.has(cursor)) return { entries, truncated: "the server repeats a page" };
    seen.add(cursor);
  }
  return { entries, truncated: `more than ${MAX_PAGES} pages` };
}
