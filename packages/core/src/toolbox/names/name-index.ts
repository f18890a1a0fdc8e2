import { sameRef, type ToolRef } from "../../domain/tool.ts";
import { toSkeleton } from "../../text/name-skeleton.ts";
import { ByServer } from "./by-server.ts";
import { toDistinctShownName, toShownName } from "./shown-name.ts";

/** Which tool has which shown name. A tool has one name; a name belongs to one tool. */
export class NameIndex {
  readonly #tools = new Map<string, ToolRef>();
  /** The shown names of each server's tools, by their own. */
  readonly #names = new ByServer<Map<string, string>>();
  /** By skeleton, the first tool of each server that has such a name: one server may have thousands. */
  readonly #lookAlikes = new Map<string, ToolRef[]>();

  get size(): number {
    return this.#tools.size;
  }

  entries(): IterableIterator<[string, ToolRef]> {
    return this.#tools.entries();
  }

  nameOf(ref: ToolRef): string | undefined {
    return this.#names.get(ref)?.get(ref.name);
  }

  /** How many names the tools of the reference's server have. */
  countOf(ref: ToolRef): number {
    return this.#names.get(ref)?.size ?? 0;
  }

  /** Returns false, and changes nothing, if the name or the tool is in the index already. */
  add(name: string, ref: ToolRef, skeleton = skeletonOf(name, ref)): boolean {
    const names = this.#names.get(ref) ?? this.#names.set(ref, new Map());
    if (this.#tools.has(name) || names.has(ref.name)) return false;
    this.#tools.set(name, ref);
    names.set(ref.name, name);
    const alike = this.#lookAlikes.get(skeleton);
    if (alike === undefined) this.#lookAlikes.set(skeleton, [ref]);
    else if (!alike.some((other) => isOfSameServer(other, ref))) alike.push(ref);
    return true;
  }

  /**
   * The tool that keeps `ref` from having this name: it has the name, or it belongs to another server and has one that
   * looks the same.
   */
  blocker(name: string, ref: ToolRef, skeleton = skeletonOf(name, ref)): ToolRef | undefined {
    const owner = this.#tools.get(name);
    if (owner !== undefined) return sameRef(owner, ref) ? undefined : owner;
    return this.#lookAlikes.get(skeleton)?.find((other) => !isOfSameServer(other, ref));
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
export function identityOf({ scope, server, name }: ToolRef): string {
  return `${scope}\0${server}\0${name}`;
}

/**
 * What a name is compared by. Making a name legal removes the characters that only look like legal ones, so a name that
 * was made from the tool's own is compared as its server wrote it.
 */
export function skeletonOf(name: string, ref: ToolRef): string {
  if (name === ref.name) return toSkeleton(name);
  const isOwn = name === toShownName(ref.name) || name === toDistinctShownName(ref.name);
  return toSkeleton(isOwn ? ref.name : name);
}
