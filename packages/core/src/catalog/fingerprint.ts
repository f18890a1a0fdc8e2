import { factsOf, type Launch } from "../domain/launch.ts";
import type { ServerDefinition } from "../domain/server.ts";
import type { Tool } from "../domain/tool.ts";
import { canonicalJson } from "../json/json.ts";
import type { Hasher } from "../ports/hasher.ts";

/**
 * Returns a function that digests what a person approves by using a tool: its server's launch and its whole definition.
 */
export function createFingerprinter(launch: Launch, hasher: Hasher): (tool: Tool) => Promise<string> {
  const identities = factsOf(launch).toolIdentities?.(launch);
  if (identities !== undefined) {
    return ({ name, raw }) => {
      const launched = canonicalJson(identities.get(name) ?? null);
      return hasher.sha256(`{"launch":${launched},"tool":${canonicalJson(raw)}}`);
    };
  }
  // Computed once, as it is the same for every tool of a server, and lists may have thousands.
  const launched = canonicalJson(factsOf(launch).identity(launch));
  return ({ raw }) => hasher.sha256(`{"launch":${launched},"tool":${canonicalJson(raw)}}`);
}

/**
 * Identifies a server in the inventory by name and launch: two configs may each have a different server called `files`.
 */
export async function inventoryKey({ key, launch }: ServerDefinition, hasher: Hasher): Promise<string> {
  const digest = await hasher.sha256(canonicalJson(factsOf(launch).identity(launch)));
  return `${key}@${digest.slice(0, 16)}`;
}
