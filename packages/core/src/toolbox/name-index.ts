import type { ToolRef } from "../domain/tool.ts";
import { toSkeleton } from "../text/name-skeleton.ts";
import { toDistinctShownName, toShownName } from "./shown-name.ts";

/** Which tool has which shown name. A tool has one name; a name belongs to one tool. */
export class NameIndex {
  readonly #tools = new Map<string, ToolRef>();
  readonly #names = new Map<string, string>();
  /** By skeleton, then by server, the first tool that has such a name: one server may have thousands. */
  readonly #lookAlikes = new Map<string, Map<string, ToolRef>>();

  /** By server. */
  readonly #counts = new Map<string, number>();

  get size(): number {
    return this.#tools.size;
  }

  entries(): IterableIterator<[string, ToolRef]> {
    return this.#tools.entries();
  }

  nameOf(ref: ToolRef): string | undefined {
    return this.#names.get(identityOf(ref));
  }

  /** How many names the tools of the reference's server have. */
  countOf(ref: ToolRef): number {
    return this.#counts.get(serverOf(ref)) ?? 0;
  }

  /** Returns false, and changes nothing, if the name or the tool is in the index already. */
  add(name: string, ref: ToolRef): boolean {
    const identity = identityOf(ref);
    if (this.#tools.has(name) || this.#names.has(identity)) return false;
    this.#tools.set(name, ref);
    this.#names.set(identity, name);
    const skeleton = skeletonOf(name, ref);
    this.#counts.set(serverOf(ref), this.countOf(ref) + 1);
    const byServer = this.#lookAlikes.get(skeleton) ?? new Map<string, ToolRef>();
    if (byServer.size === 0) this.#lookAlikes.set(skeleton, byServer);
    if (!byServer.has(serverOf(ref))) byServer.set(serverOf(ref), ref);
    return true;
  }

  /**
   * The tool that keeps `ref` from having this name: it has the name, or it belongs to another server and has one that
   * looks the same.
   */
  blocker(name: string, ref: ToolRef, skeleton = skeletonOf(name, ref)): ToolRef | undefined {
    const owner = this.#tools.get(name);
    if (owner !== undefined) return identityOf(owner) === identityOf(ref) ? undefined : owner;
    for (const other of this.#lookAlikes.get(skeleton)?.values() ?? []) if (!isOfSameServer(other, ref)) return other;
    return undefined;
  }

  /** Returns an index of the entries that `isKept` accepts; this one if it accepts all. */
  keep(isKept: (ref: ToolRef) => boolean): NameIndex {
    if ([...this.#tools.values()].every(isKept)) return this;
    const kept = new NameIndex();
    for (const [name, ref] of this.#tools) if (isKept(ref)) kept.add(name, ref);
    return kept;
  }
}

export function isOfSameServer(a: Pick<ToolRef, "scope" | "server">, b: Pick<ToolRef, "scope" | "server">): boolean {
  return a.scope === b.scope && a.server === b.server;
}

/** The same text for two references if they are to the same tool. */
export function identityOf(ref: ToolRef): string {
  return `${serverOf(ref)}\0${ref.name}`;
}

function serverOf({ scope, server }: ToolRef): string {
  return `${scope}\0${server}`;
}

/**
 * What a name is compared by. Making a name legal removes the characters that only look like legal ones, so a name that
 * was made from the tool's own is compared as its server wrote it.
 */
export function skeletonOf(name: string, ref: ToolRef): string {
  const isOwn = name === toShownName(ref.name) || name === toDistinctShownName(ref.name);
  return toSkeleton(isOwn ? ref.name : name);
}
