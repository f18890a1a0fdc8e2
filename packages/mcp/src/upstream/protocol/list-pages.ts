import { ConnectionError, type Json, type RawToolList } from "@tacklebox/core";
import type { Wire } from "./wire.ts";

const MAX_PAGES = 64;
const MAX_ENTRIES = 5000;
/** Applies to all pages but the last; the size of a single message is limited elsewhere. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/** A paged list of the protocol: its method, the result field with its entries, and the word for them in messages. */
export interface PagedList {
  readonly method: string;
  readonly field: string;
  readonly entries: string;
  /** If true, an aborted signal counts as a timeout and the pages read so far are returned. */
  readonly isBoundByTime?: boolean;
}

export const TOOLS: PagedList = { method: "tools/list", field: "tools", entries: "tools", isBoundByTime: true };

/** Reads every page of a list, leaving entries as they are. At a limit, returns what was read with `truncated` set. */
export async function listPages(wire: Wire, list: PagedList, signal: AbortSignal): Promise<RawToolList> {
  const entries: Json[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  let characters = 0;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const result = await wire.send({ method: list.method, params, signal }).answer.catch((error: unknown) => {
      if (page === 0 || list.isBoundByTime !== true || !signal.aborted) throw error;
      return undefined;
    });
    if (result === undefined) return { entries, truncated: "the rest did not come in time" };
    const found = result[list.field];
    if (!Array.isArray(found)) {
      const text = `The server answered "${list.method}" without a list of ${list.entries}.`;
      throw new ConnectionError("protocol-error", text);
    }
    for (const entry of found) entries.push(entry);
    if (entries.length > MAX_ENTRIES) {
      return { entries: entries.slice(0, MAX_ENTRIES), truncated: `more than ${MAX_ENTRIES} ${list.entries}` };
    }
    cursor = typeof result.nextCursor === "string" ? result.nextCursor : undefined;
    if (cursor === undefined) return { entries };
    characters += JSON.stringify(found).length;
    if (characters > MAX_CHARACTERS) return { entries, truncated: `more than ${MAX_CHARACTERS / 1024 / 1024} MiB` };
    if (seen.has(cursor)) return { entries, truncated: "the server repeats a page" };
    seen.add(cursor);
  }
  return { entries, truncated: `more than ${MAX_PAGES} pages` };
}
