import { type Connection, ConnectionError, isJsonObject, type JsonObject, type ServerInfo } from "@tacklebox/core";
import { type SendRound, sendAnsweringInput } from "./answer-input.ts";
import { listPages, type PagedList } from "./list-pages.ts";
import {
  toCompletion,
  toFilledPrompt,
  toPrompt,
  toResource,
  toResourceContents,
  toResourceTemplate,
} from "./parse-offers.ts";
import type { ServerQuestions } from "./server-questions.ts";
import type { Subscriptions } from "./subscriptions.ts";
import { ReplyError, type Wire } from "./wire.ts";

export interface OffersDeps {
  readonly info: ServerInfo;
  readonly wire: Wire;
  readonly subscriptions: Subscriptions;
  readonly questions: ServerQuestions;
  readonly onServerLog: (line: string) => void;
}

const RESOURCES: PagedList = { method: "resources/list", field: "resources", entries: "resources" };
const TEMPLATES: PagedList = {
  method: "resources/templates/list",
  field: "resourceTemplates",
  entries: "resource templates",
};
const PROMPTS: PagedList = { method: "prompts/list", field: "prompts", entries: "prompts" };
const METHOD_NOT_FOUND = -32601;

type OfferMethods = Omit<Connection, "info" | "listTools" | "callTool" | "close">;

/** The Connection methods for resources, prompts and completion; each needs the capability the server declared. */
export function createOfferMethods(deps: OffersDeps): OfferMethods {
  const { info, wire, subscriptions, onServerLog } = deps;
  const { resources, prompts, completions } = info.capabilities;

  async function list<T>(
    declared: unknown,
    paged: PagedList,
    parse: (entry: unknown) => T | undefined,
    signal: AbortSignal,
  ): Promise<readonly T[]> {
    if (declared === undefined) return [];
    const { entries, truncated } = await listPages(wire, paged, signal).catch(toEmptyList);
    if (truncated !== undefined) onServerLog(`Lists too much: ${truncated}.`);
    const parsed = entries.flatMap((entry) => parse(entry) ?? []);
    const skipped = entries.length - parsed.length;
    if (skipped > 0) onServerLog(`${skipped} of its ${paged.entries} cannot be read and were left out.`);
    return parsed;
  }

  /** Modern servers may ask for input before they answer, just as during a tool call. */
  function ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const send: SendRound = (answers) => wire.send({ method, params: { ...params, ...answers }, signal });
    if (info.era === "legacy") return send({}).answer;
    return sendAnsweringInput(send, deps.questions, signal).answer;
  }

  return {
    listResources: (signal) => list(resources, RESOURCES, toResource, signal),
    listResourceTemplates: (signal) => list(resources, TEMPLATES, toResourceTemplate, signal),
    listPrompts: (signal) => list(prompts, PROMPTS, toPrompt, signal),
    async readResource(uri, signal) {
      requireCapability(resources, "resources");
      const { contents, skipped } = toResourceContents(await ask("resources/read", { uri }, signal), uri);
      if (skipped > 0) onServerLog(`${skipped} parts of a resource cannot be read and were left out.`);
      return contents;
    },
    async getPrompt(name, args, signal) {
      requireCapability(prompts, "prompts");
      return toFilledPrompt(await ask("prompts/get", { name, arguments: args }, signal));
    },
    async complete({ target, argument, typed, known }, signal) {
      requireCapability(completions, "completion");
      const ref =
        target.kind === "prompt"
          ? { type: "ref/prompt", name: target.name }
          : { type: "ref/resource", uri: target.uriTemplate };
      const context = Object.keys(known).length === 0 ? {} : { context: { arguments: known } };
      const params = { ref, argument: { name: argument, value: typed }, ...context };
      return toCompletion(await wire.send({ method: "completion/complete", params, signal }).answer);
    },
    async subscribeResource(uri, signal) {
      requireSubscriptions(resources);
      await subscriptions.add(uri, signal);
    },
    async unsubscribeResource(uri, signal) {
      requireSubscriptions(resources);
      await subscriptions.remove(uri, signal);
    },
  };
}

/** Some servers declare a capability but implement only one of its list methods. */
function toEmptyList(error: unknown): { entries: readonly unknown[]; truncated?: string } {
  if (error instanceof ReplyError && error.rpcCode === METHOD_NOT_FOUND) return { entries: [] };
  throw error;
}

function requireCapability(declared: unknown, what: string): void {
  if (declared === undefined) throw new ConnectionError("protocol-error", `it does not offer ${what}`);
}

function requireSubscriptions(resources: unknown): void {
  requireCapability(
    isJsonObject(resources) && resources.subscribe === true ? resources : undefined,
    "resource subscriptions",
  );
}
