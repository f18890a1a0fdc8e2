import type { CallOutcome, CallRequest } from "../domain/call.ts";
import type { CallPart } from "../domain/message.ts";
import { BUILT_IN_NAMES, type RegisteredTool, type Toolbox } from "../domain/tool.ts";
import { findInexactNumbers, inexactText } from "../json/inexact-numbers.ts";
import { isJsonObject, type JsonObject } from "../json/json.ts";
import { nestsDeeper } from "../json/nesting.ts";
import { textNestsDeeper } from "../json/text-nesting.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import type { ModelTool } from "../ports/model.ts";
import { findTool } from "../toolbox/find-tool.ts";
import { isAlwaysSent, type SearchTools } from "../toolbox/search/search-tools.ts";
import { oneLine, toFullText, toSignature } from "../toolbox/tool-signature.ts";
import { MAX_ARGUMENTS_DEPTH } from "../validation/reserved-keys.ts";
import type { ComingServers } from "./coming-servers.ts";

/** Gives a model access to tools whose definitions it was not sent: it searches for them, then calls them by name. */
export interface ToolFinder {
  /** The two built-in tools, in the order they are sent. `capped` are tools to list by signature in the description. */
  tools(capped: readonly RegisteredTool[]): readonly ModelTool[];
  /** Answers a call that is not for a server's tool; resolves to undefined if it is. */
  answer(callId: string, call: CallPart): Promise<CallOutcome | undefined>;
  /** The call the model means: a call of `call_tool` is a call of the tool it names. */
  toRequest(call: CallPart): CallRequest;
}

export interface ToolFinderDeps {
  /** The session's toolbox, read each time it is needed. */
  readonly toolbox: () => Toolbox;
  /** Whether a model may see the tool. */
  readonly isOffered: (tool: RegisteredTool) => boolean;
  /** Called with each tool that is found. */
  readonly noteGiven: (tool: RegisteredTool) => void;
  readonly search: SearchTools;
  /** Applied to a query before it is repeated on one line, in which a secret with a line break would not be found. */
  readonly redact: Redactor;
  /** Waited for when nothing else fits. */
  readonly coming: ComingServers;
}

const USUAL_LIMIT = 5;
const MAX_LIMIT = 20;
const MAX_INDEX_LENGTH = 2_000;

export function createToolFinder(deps: ToolFinderDeps): ToolFinder {
  const { toolbox, isOffered, noteGiven, search, redact, coming } = deps;
  const { search: searchName, call: callName } = BUILT_IN_NAMES;

  function searchable(): readonly RegisteredTool[] {
    return [...toolbox().tools.values()].filter((tool) => !isAlwaysSent(tool) && isOffered(tool));
  }

  async function find({ query, limit }: JsonObject): Promise<string> {
    if (typeof query !== "string" || query.trim() === "")
      throw new UnusableArguments('it needs {"query": text, "limit": a whole number}');
    // Before the search, during which one may join.
    const untilOneIsThere = coming.look();
    const named = findTool(query.trim(), toolbox());
    const exact = named !== undefined && isOffered(named) ? named : undefined;
    const all = searchable();
    const matches = await search(query, all, toLimit(limit));
    const found = matches.map(({ tool }) => tool).filter((tool) => tool !== exact);
    for (const tool of exact === undefined ? found : [exact, ...found]) noteGiven(tool);
    const full = exact === undefined ? [] : [toFullText(exact)];
    if (full.length + found.length === 0)
      return (await untilOneIsThere()) ? find({ query, limit: toLimit(limit) }) : nothingFoundText(query, all);
    return [...full, ...found.map(toSignature), `Call one with ${callName}.`].join("\n");
  }

  function nothingFoundText(query: string, all: readonly RegisteredTool[]): string {
    const asked = oneLine(redact(query)).slice(0, 200);
    return `No tool fits "${asked}". Search again with other words, or say that there is no tool for it. Servers: ${serverIndex(all)}.${comingText(coming.names())}`;
  }

  /** The call of a server's tool that a call of `call_tool` stands for. */
  function targetOf({ arguments: given }: CallPart): CallRequest | undefined {
    const { name, arguments: args = {} } = given;
    if (typeof name !== "string") return undefined;
    const meant = toRequestedTool(name);
    const read = typeof args === "string" ? parseObject(args) : args;
    const [inexact] = typeof args === "string" && isJsonObject(read) ? findInexactNumbers(args) : [];
    if (inexact !== undefined) return { ...meant, arguments: {}, unreadable: inexactText(inexact) };
    if (isJsonObject(read) && !nestsDeeper(read, MAX_ARGUMENTS_DEPTH)) return { ...meant, arguments: read };
    return { ...meant, arguments: {}, unreadable: typeof args === "string" ? args : JSON.stringify(args) };
  }

  function toRequestedTool(name: string): Pick<CallRequest, "tool" | "server"> {
    const found = findTool(name, toolbox());
    if (found === undefined) return { tool: name };
    const { shownName, ref } = found;
    return toolbox().tools.has(shownName) ? { tool: shownName } : { tool: ref.name, server: ref.server };
  }

  return {
    tools: (capped) => [
      {
        builtIn: "search",
        name: searchName,
        description: `Finds tools that are not listed here, by task. Answers with their signatures, best first; the exact name of a tool gets its whole definition. Call them with ${callName}. Servers: ${serverIndex(searchable())}.`,
        inputSchema: {
          type: "object",
          properties: {
            query: { type: "string", description: "What you want to do, in a few words, or the exact name of a tool" },
            limit: { type: "integer", minimum: 1, maximum: MAX_LIMIT, default: USUAL_LIMIT },
          },
          required: ["query"],
        },
      },
      {
        builtIn: "call",
        name: callName,
        description: `Calls a tool that is not listed here, such as one that ${searchName} found.${cappedText(capped)}`,
        inputSchema: {
          type: "object",
          properties: {
            name: { type: "string", description: "The tool's name, as search returned it" },
            arguments: {
              type: "object",
              additionalProperties: true,
              description: "The arguments, as the tool's signature describes them",
            },
          },
          required: ["name"],
        },
      },
    ],
    async answer(callId, call) {
      if (call.tool !== searchName && call.tool !== callName) return undefined;
      const outcome = { callId, shownName: call.tool, durationMs: 0 };
      try {
        if (call.unreadable !== undefined) throw new UnusableArguments("its arguments are not a JSON object");
        if (call.tool === callName && targetOf(call) !== undefined) return undefined;
        if (call.tool === callName) throw new UnusableArguments('it needs {"name": text, "arguments": an object}');
        const text = await find(call.arguments);
        return { ...outcome, status: "success", result: { content: [{ type: "text", text }], isError: false } };
      } catch (error) {
        if (!(error instanceof UnusableArguments)) throw error;
        const message = `${call.tool} cannot be used like that: ${error.message}`;
        return { ...outcome, status: "error", failure: { ending: "invalid-arguments", message } };
      }
    },
    toRequest(call) {
      const { tool, arguments: given, unreadable } = call;
      const target = tool === callName ? targetOf(call) : undefined;
      return target ?? { tool, arguments: given, ...(unreadable !== undefined && { unreadable }) };
    },
  };
}

class UnusableArguments extends Error {}

function toLimit(limit: unknown): number {
  const count = Math.floor(Number(limit ?? USUAL_LIMIT));
  return Number.isFinite(count) ? Math.min(MAX_LIMIT, Math.max(1, count)) : USUAL_LIMIT;
}

/** Models often send an object as JSON text. */
function parseObject(text: string): unknown {
  if (textNestsDeeper(text, MAX_ARGUMENTS_DEPTH)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Lists every server that has tools to find, so that the model knows what exists. */
function serverIndex(tools: readonly RegisteredTool[]): string {
  const names = [...new Set(tools.map(({ ref }) => oneLine(ref.server)))];
  return shorten(names) || "none";
}

function comingText(names: readonly string[]): string {
  return names.length === 0 ? "" : ` Still connecting: ${shorten(names.map(oneLine))}.`;
}

function cappedText(capped: readonly RegisteredTool[]): string {
  return capped.length === 0 ? "" : ` Also there: ${shorten(capped.map(toSignature), "; ")}.`;
}

function shorten(items: readonly string[], between = ", "): string {
  const shown: string[] = [];
  let length = 0;
  for (const item of items) {
    length += item.length + between.length;
    if (length > MAX_INDEX_LENGTH) break;
    shown.push(item);
  }
  const more = items.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(between);
}
