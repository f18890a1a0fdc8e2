import type { ToolRef } from "../../domain/tool.ts";
import { toSkeleton } from "../../text/name-skeleton.ts";
import { isOfSameServer } from "./name-index.ts";
import { toQualifiedPrefix } from "./shown-name.ts";

export type ServerOfTools = Pick<ToolRef, "scope" | "server">;

/**
 * Names that begin with `files__` are kept for the tools of the server `files`, whether or not it is up or enabled: such
 * a name is not saved from one start to the next, so nothing else would keep it from another server.
 */
export class ReservedPrefixes {
  /** By the skeleton of the prefix. */
  readonly #owners = new Map<string, ServerOfTools[]>();
  readonly #longestFirst: readonly number[];

  constructor(servers: Iterable<ServerOfTools>) {
    for (const owner of servers) {
      const prefixes = [toQualifiedPrefix(owner.server), `${owner.server}__`].map(toSkeleton);
      for (const prefix of new Set(prefixes)) this.#add(prefix, owner);
    }
    const lengths = new Set(Array.from(this.#owners.keys(), ({ length }) => length));
    this.#longestFirst = [...lengths].sort((a, b) => b - a);
  }

  /** The tool of another server that the name, of this skeleton, is kept for; undefined if `ref` may have it. */
  ownerOf(name: string, ref: ToolRef, skeleton: string): ToolRef | undefined {
    // Both: making a name legal can turn it into another server's, and can hide that it looked like one.
    const asShown = name === ref.name ? skeleton : toSkeleton(name);
    const owner = this.#ownerOf(asShown, name, ref);
    return owner !== undefined || asShown === skeleton ? owner : this.#ownerOf(skeleton, name, ref);
  }

  #add(prefix: string, owner: ServerOfTools): void {
    const owners = this.#owners.get(prefix) ?? [];
    this.#owners.set(prefix, owners);
    if (!owners.some((other) => isOfSameServer(other, owner))) owners.push(owner);
  }

  /** The longest prefix counts: of the servers `a` and `a__b`, the second one has `a__b__read`. */
  #ownerOf(skeleton: string, name: string, ref: ToolRef): ToolRef | undefined {
    for (const length of this.#longestFirst) {
      const owners = this.#owners.get(skeleton.slice(0, length));
      if (owners === undefined) continue;
      const isOwn = owners.some((owner) => isOfSameServer(owner, ref));
      // Two servers whose names look the same have a prefix each.
      if (isOwn && name.startsWith(toQualifiedPrefix(ref.server))) return undefined;
      const other = owners.find((owner) => !isOfSameServer(owner, ref));
      if (other === undefined) return undefined;
      return { scope: other.scope, server: other.server, name: skeleton.slice(length) };
    }
    return undefined;
  }
}
