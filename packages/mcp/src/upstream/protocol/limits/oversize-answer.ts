import type { ConnectionError } from "@tacklebox/core";

/** The id of an answer of which only both ends are known. Nested ids do not match, as they are not at the very ends. */
export function replyId(head: string, tail: string): string | number | undefined {
  const atStart = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*("[^"\\]*"|\d+)\s*,/.exec(head);
  const atEnd = /,\s*"id"\s*:\s*("[^"\\]*"|\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail);
  const found = atStart?.[1] ?? atEnd?.[1];
  if (found === undefined) return undefined;
  return found.startsWith('"') ? found.slice(1, -1) : Number(found);
}

const CODE_OVERSIZE = -32000;

/** The answer that the SDK gets in place of one that was dropped for its size. */
export function oversizeAnswer(id: string | number, { message }: ConnectionError) {
  return { jsonrpc: "2.0", id, error: { code: CODE_OVERSIZE, message } } as const;
}
