import type { ShownDefinition, UnseenDefinition } from "../domain/inventory.ts";
import type { RegisteredTool } from "../domain/tool.ts";
import { canonicalJson, isJsonObject, type JsonObject } from "../json/json.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import type { Definitions } from "../ports/store.ts";
import { redactJson } from "../secrets/redact.ts";
import { type Access, entryOf } from "../servers/access.ts";

/**
 * Makes sure that a person sees what servers say about their tools before a model does. Tools of our own and those
 * that the operator wrote need no review.
 */
export interface DefinitionReview {
  /** What the model could be given now and no person has been shown as it is, in the order of the tools. */
  unseen(): Promise<readonly UnseenDefinition[]>;
  /** Remembers that they were shown. */
  accept(shown: readonly UnseenDefinition[]): Promise<void>;
  /** Whether a model may be given the definition: a person was shown it as it is now. */
  isSeen(tool: RegisteredTool): boolean;
}

export interface ReviewDeps {
  readonly access: Access;
  /** The tools that a model could be given. */
  readonly tools: () => readonly RegisteredTool[];
  readonly definitions: Definitions;
  readonly redact: Redactor;
}

/** Nothing needs to be seen where every call runs without a question. */
export const NO_REVIEW: DefinitionReview = {
  unseen: async () => [],
  accept: async () => undefined,
  isSeen: () => true,
};

const INSTRUCTIONS = "";

export function createDefinitionReview({ access, tools, definitions, redact }: ReviewDeps): DefinitionReview {
  /** By server, then by tool: what a person was shown. */
  const shown = new Map<string, ReadonlyMap<string, string>>();
  const texts = new WeakMap<RegisteredTool["tool"], string>();

  function definitionOf({ tool }: RegisteredTool): JsonObject {
    return redactJson(redact, tool.raw);
  }

  function textOf(registered: RegisteredTool): string {
    const known = texts.get(registered.tool) ?? canonicalJson(definitionOf(registered));
    texts.set(registered.tool, known);
    return known;
  }

  async function load(ref: Server): Promise<ReadonlyMap<string, string>> {
    const known = shown.get(keyOf(ref));
    if (known !== undefined) return known;
    const rows = await definitions.load(ref.scope, await access.grantNameOf(ref));
    const loaded = new Map(rows.map(({ tool, definition }) => [tool, canonicalJson(definition)]));
    shown.set(keyOf(ref), loaded);
    return loaded;
  }

  async function compare(ref: Server, tool: string, definition: JsonObject): Promise<UnseenDefinition | undefined> {
    const before = (await load(ref)).get(tool);
    if (before === canonicalJson(definition)) return undefined;
    const { scope, server } = ref;
    return { scope, server, definition, ...(before !== undefined && { before: parseObject(before) }) };
  }

  async function unseenInstructions(ref: Server, registered: RegisteredTool): Promise<UnseenDefinition | undefined> {
    const instructions = entryOf(access, registered.ref)?.link?.status().info?.instructions;
    if (instructions === undefined || instructions === "") return undefined;
    return compare(ref, INSTRUCTIONS, { instructions: redact(instructions) });
  }

  return {
    async unseen() {
      const found: UnseenDefinition[] = [];
      const servers = new Set<string>();
      for (const registered of tools().filter((tool) => needsReview(tool, access))) {
        const { ref, shownName } = registered;
        if (!servers.has(keyOf(ref))) {
          const instructions = await unseenInstructions(ref, registered);
          if (instructions !== undefined) found.push(instructions);
        }
        servers.add(keyOf(ref));
        const unseen = await compare(ref, ref.name, definitionOf(registered));
        if (unseen !== undefined) found.push({ ...unseen, tool: ref.name, shownName });
      }
      return found;
    },
    async accept(accepted) {
      const rows: ShownDefinition[] = [];
      for (const { scope, server, tool = INSTRUCTIONS, definition } of accepted) {
        const grantName = await access.grantNameOf({ scope, server });
        rows.push({ scope, server: grantName, tool, definition });
        const key = keyOf({ scope, server });
        shown.set(key, new Map([...(shown.get(key) ?? []), [tool, canonicalJson(definition)]]));
      }
      await definitions.save(rows);
    },
    isSeen(tool) {
      return !needsReview(tool, access) || shown.get(keyOf(tool.ref))?.get(tool.ref.name) === textOf(tool);
    },
  };
}

interface Server {
  readonly scope: string;
  readonly server: string;
}

function needsReview({ ref }: RegisteredTool, access: Access): boolean {
  return ref.scope !== "local" && entryOf(access, ref)?.definition.launch.transport !== "custom";
}

function keyOf({ scope, server }: Server): string {
  return `${scope}/${server}`;
}

function parseObject(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? value : {};
}
