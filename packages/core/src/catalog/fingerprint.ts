import type { InventoryName } from "../domain/inventory.ts";
import { factsOf, type Launch } from "../domain/launch.ts";
import type { ServerDefinition } from "../domain/server.ts";
import type { Tool } from "../domain/tool.ts";
import { canonicalJson } from "../json/json.ts";
import type { Hasher } from "../ports/hasher.ts";

/**
 * Digests a tool's whole definition, which stays accepted however its server is reached. The mark tells it from the
 * digests that inventories held before, which included the launch.
 */
export async function definitionFingerprint(written: string, hasher: Hasher): Promise<string> {
  return `${DEFINITION_MARK}${await hasher.sha256(written)}`;
}

/** A tool's whole definition as the text that is digested. */
export function writeDefinition({ raw }: Tool): string {
  return canonicalJson(raw);
}

const DEFINITION_MARK = "definition:";

/** Digests one tool; the text of its definition can be given, if it is known. */
type Fingerprinter = (tool: Tool, written?: string) => Promise<string>;

/**
 * Returns a function that digests what a person approves by allowing a tool: its server's launch and its whole
 * definition.
 */
export function createFingerprinter(launch: Launch, hasher: Hasher): Fingerprinter {
  const identities = factsOf(launch).toolIdentities?.(launch);
  if (identities !== undefined) {
    return (tool, written = writeDefinition(tool)) => {
      const launched = canonicalJson(identities.get(tool.name) ?? null);
      return hasher.sha256(`{"launch":${launched},"tool":${written}}`);
    };
  }
  // Computed once, as it is the same for every tool of a server, and lists may have thousands.
  const launched = canonicalJson(factsOf(launch).identity(launch));
  return (tool, written = writeDefinition(tool)) => hasher.sha256(`{"launch":${launched},"tool":${written}}`);
}

/** Tells servers of one name apart by how they are reached. */
export async function launchKey({ key, launch }: ServerDefinition, hasher: Hasher): Promise<string> {
  const digest = await hasher.sha256(canonicalJson(factsOf(launch).identity(launch)));
  return `${key}@${digest.slice(0, 16)}`;
}

/**
 * Identifies a server in the inventory by its name and the configuration it is in: two configs may each have a
 * different server called `files`, and one whose command was edited is still the same server.
 */
export async function inventoryName(
  definition: ServerDefinition,
  source: string | undefined,
  hasher: Hasher,
): Promise<InventoryName> {
  const { scope, key } = definition;
  const of = source === undefined ? "" : (await hasher.sha256(source)).slice(0, 16);
  return { scope, server: `${key}#${of}`, launch: await launchKey(definition, hasher) };
}
