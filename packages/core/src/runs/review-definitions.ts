import type { ShownDefinition, UnseenDefinition } from "../domain/inventory.ts";
import type { RegisteredTool, Toolbox } from "../domain/tool.ts";
import { canonicalJson, type JsonObject } from "../json/json.ts";
import type { KnownSecrets } from "../ports/known-secrets.ts";
import type { Definitions } from "../ports/store.ts";
import { redactJson } from "../secrets/redact.ts";
import { type Access, entryOf } from "../servers/access.ts";

/**
 * Makes sure that a person sees what servers say about their tools before a model does. Tools of our own and those
 * that the operator wrote need no review.
 */
export interface DefinitionReview {
  /**
   * What the model could be given now and no person has been shown as it is, in the order of the tools; without what was
   * returned before.
   */
  unseen(): Promise<readonly UnseenDefinition[]>;
  /** Remembers that they were shown. */
  accept(shown: readonly UnseenDefinition[]): Promise<void>;
  /** Whether a model may be given the definition: a person was shown it as it is now. */
  isSeen(tool: RegisteredTool): boolean;
}

export interface ReviewDeps {
  readonly access: Access;
  readonly toolbox: () => Toolbox;
  /** Whether a model could be given the tool. */
  readonly isOffered: (tool: RegisteredTool) => boolean;
  readonly definitions: Definitions;
  readonly knownSecrets: Pick<KnownSecrets, "redact" | "version">;
}

/** Nothing needs to be seen where every call runs without a question. */
export const NO_REVIEW: DefinitionReview = {
  unseen: async () => [],
  accept: async () => undefined,
  isSeen: () => true,
};

const INSTRUCTIONS = "";

/** The answer of isSeen, and what it was made from. */
interface Comparison {
  readonly before: JsonObject | undefined;
  readonly version: number;
  readonly isSeen: boolean;
}

export function createDefinitionReview(deps: ReviewDeps): DefinitionReview {
  const { access, toolbox, isOffered, definitions, knownSecrets } = deps;
  const { redact, version } = knownSecrets;
  /** The toolbox that was last looked through: nothing is new until it changes. */
  let reviewed: Toolbox | undefined;
  /** By server, then by tool: what was returned as unseen. */
  const reported = new Map<string, Map<string, JsonObject>>();
  /** By server, then by tool: what a person was shown. */
  const shown = new Map<string, ReadonlyMap<string, JsonObject>>();
  /** Every request asks about every tool. */
  const compared = new WeakMap<RegisteredTool["tool"], Comparison>();

  /** Both as they would be shown now: a secret in them that became known since is no change. */
  function isSame(before: JsonObject | undefined, definition: JsonObject): boolean {
    return (
      before !== undefined &&
      canonicalJson(redactJson(redact, before)) === canonicalJson(redactJson(redact, definition))
    );
  }

  async function load(ref: Server): Promise<ReadonlyMap<string, JsonObject>> {
    const known = shown.get(keyOf(ref));
    if (known !== undefined) return known;
    const rows = await definitions.load(ref.scope, await access.grantNameOf(ref));
    const loaded = new Map(rows.map(({ tool, definition }) => [tool, definition]));
    shown.set(keyOf(ref), loaded);
    return loaded;
  }

  async function compare(ref: Server, tool: string, definition: JsonObject): Promise<UnseenDefinition | undefined> {
    const before = (await load(ref)).get(tool);
    if (isSame(before, definition)) return undefined;
    const told = reported.get(keyOf(ref)) ?? new Map<string, JsonObject>();
    reported.set(keyOf(ref), told);
    if (isSame(told.get(tool), definition)) return undefined;
    told.set(tool, definition);
    const { scope, server } = ref;
    return redactJson(redact, { scope, server, definition, ...(before !== undefined && { before }) });
  }

  async function unseenInstructions(ref: Server, registered: RegisteredTool): Promise<UnseenDefinition | undefined> {
    const instructions = entryOf(access, registered.ref)?.link?.status().info?.instructions;
    if (instructions === undefined || instructions === "") return undefined;
    return compare(ref, INSTRUCTIONS, { instructions });
  }

  return {
    async unseen() {
      const found: UnseenDefinition[] = [];
      const current = toolbox();
      if (reviewed === current) return found;
      reviewed = current;
      const servers = new Set<string>();
      for (const registered of current.tools.values()) {
        if (!isOffered(registered) || !needsReview(registered, access)) continue;
        const { ref, shownName } = registered;
        if (!servers.has(keyOf(ref))) {
          const instructions = await unseenInstructions(ref, registered);
          if (instructions !== undefined) found.push(instructions);
        }
        servers.add(keyOf(ref));
        const unseen = await compare(ref, ref.name, registered.tool.raw);
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
        shown.set(key, new Map([...(shown.get(key) ?? []), [tool, definition]]));
      }
      await definitions.save(rows);
    },
    isSeen(registered) {
      if (!needsReview(registered, access)) return true;
      const { ref, tool } = registered;
      const before = shown.get(keyOf(ref))?.get(ref.name);
      const known = compared.get(tool);
      if (known !== undefined && known.before === before && known.version === version()) return known.isSeen;
      const isSeen = isSame(before, tool.raw);
      compared.set(tool, { before, version: version(), isSeen });
      return isSeen;
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
