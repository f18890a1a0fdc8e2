import type { ToolKind } from "@agentclientprotocol/sdk";
import type { Tool } from "@tacklebox/core";

const KIND_OF_WORD: ReadonlyMap<string, ToolKind> = new Map(
  Object.entries({
    delete: ["delete", "remove", "rm", "unlink", "drop", "erase"],
    move: ["move", "rename", "mv"],
    edit: ["write", "edit", "create", "update", "append", "patch", "insert", "put", "set", "add", "replace", "mkdir"],
    execute: ["run", "exec", "execute", "command", "shell", "bash", "eval", "spawn"],
    search: ["search", "find", "grep", "query", "glob"],
    fetch: ["fetch", "download", "http", "browse", "crawl", "url"],
    think: ["think", "thinking", "reason", "plan"],
    read: ["read", "get", "list", "show", "view", "cat", "describe", "open", "load", "status", "diff", "log"],
  } satisfies Partial<Record<ToolKind, readonly string[]>>).flatMap(([kind, words]) =>
    words.map((word): [string, ToolKind] => [word, kind as ToolKind]),
  ),
);

const CHANGING: ReadonlySet<ToolKind> = new Set(["delete", "move", "edit", "execute"]);

/** Guesses a tool's kind, for the editor's icon, from its annotations and the first telling word of its name. */
export function toToolKind(name: string, tool: Pick<Tool, "annotations"> | undefined): ToolKind {
  const named = wordsOf(name).flatMap((word) => KIND_OF_WORD.get(word) ?? [])[0];
  const { readOnlyHint, destructiveHint } = tool?.annotations ?? {};
  if (readOnlyHint === true) return named === undefined || CHANGING.has(named) ? "read" : named;
  if (named === undefined && destructiveHint === true) return "edit";
  return named ?? "other";
}

function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}
