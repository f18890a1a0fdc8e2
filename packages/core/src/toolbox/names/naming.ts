import { BUILT_IN_NAMES, type ToolboxSettings, type ToolRef } from "../../domain/tool.ts";
import type { ToolCandidate } from "../registration.ts";
import { ByServer } from "./by-server.ts";
import { NameIndex, skeletonOf } from "./name-index.ts";
import { ReservedPrefixes, type ServerOfTools } from "./reserved-prefixes.ts";
import { toDistinctShownName, toQualifiedShownName, toShownName } from "./shown-name.ts";

/** Names that are no longer free. Each belongs to its tool even while that is not listed. */
export interface HeldNames {
  readonly own: NameIndex;
  /** The agent's, for a session. A session's tools may take these names; no other tool may. */
  readonly lower?: NameIndex | undefined;
  /** The configured servers, also those without candidates: names that begin with theirs are kept for them. */
  readonly servers?: readonly ServerOfTools[] | undefined;
  /** How good the tool's claim to a name that nobody has is, from 0; the best gets it, and among equals the last. */
  readonly claimOf?: ((ref: ToolRef) => number) | undefined;
}

/**
 * How many names the tools of one server may hold: twice the longest list that is read. A server whose list keeps
 * changing would otherwise fill the memory and the store, since a name that was shown is not handed on.
 */
export const MAX_HELD_NAMES = 10_000;

export interface Loss {
  readonly wanted: string;
  /** The tool that has the name, or one that could be taken for it. */
  readonly winner: ToolRef;
  /** Whether the winner had the name before the tools were named this time. */
  readonly wasHeld: boolean;
  /** Whether the name begins with the winner's server, so that it is kept for that, with or without such a tool. */
  readonly isReserved: boolean;
}

/** Names candidates one by one; each name goes to the first that claims it and may have it. */
export class Naming {
  readonly #settings: ToolboxSettings;
  readonly #held: HeldNames;
  readonly #given = new NameIndex();
  /** How many names were given that are not held yet, by server. */
  readonly #added = new ByServer<number>();
  /** Names that several different raw names become when they are made legal. */
  readonly #shared: ReadonlySet<string>;
  readonly #reserved: ReservedPrefixes;

  constructor(candidates: readonly ToolCandidate[], settings: ToolboxSettings, held: HeldNames) {
    this.#settings = settings;
    this.#held = held;
    this.#shared = sharedNames(candidates);
    this.#reserved = new ReservedPrefixes([...(held.servers ?? []), ...serversOf(candidates)]);
  }

  nameOf(ref: ToolRef): string | undefined {
    return this.#given.nameOf(ref);
  }

  /** Gives a tool the name it holds, or else its own; returns why it cannot have its own. */
  claim(ref: ToolRef): Loss | undefined {
    const held = this.#heldName(ref);
    const wanted = held !== undefined && isOwnName(held, ref) ? held : this.#newName(ref);
    const skeleton = skeletonOf(wanted, ref);
    const winner = this.#blocker(wanted, ref, skeleton);
    if (winner !== undefined) {
      const isReserved = this.#owner(wanted, ref, skeleton) === undefined;
      return { wanted, winner, wasHeld: this.#heldName(winner) !== undefined, isReserved };
    }
    const isKept = held !== undefined && held !== wanted && this.#blocker(held, ref) === undefined;
    if (isKept) this.#give(held, ref);
    else this.#give(wanted, ref, skeleton);
    return undefined;
  }

  /** Whether the tools of this server hold so many names that new ones are shown with their server. */
  isFull(ref: ToolRef): boolean {
    return this.#held.own.countOf(ref) + (this.#added.get(ref) ?? 0) >= MAX_HELD_NAMES;
  }

  /** Gives a tool that lost its own name another one, if it is to have one. */
  giveOther(ref: ToolRef, { wanted, winner, isReserved }: Loss): string | undefined {
    const madeEqual = isMadeEqual(ref, winner, wanted);
    const isHidden = this.#settings.collisions === "hide" && !madeEqual && !isReserved && !isBuiltIn(winner);
    if (isHidden) return undefined;
    const qualified = `${ref.server}__${ref.name}`;
    const others = [
      this.#heldName(ref) ?? [],
      madeEqual ? toDistinctShownName(ref.name) : [],
      toShownName(qualified),
      toDistinctShownName(qualified),
    ].flat();
    const free = others.find((name) => this.#blocker(name, ref) === undefined);
    if (free !== undefined) this.#given.add(free, ref);
    return free;
  }

  #give(name: string, ref: ToolRef, skeleton = skeletonOf(name, ref)): void {
    const isGiven = this.#given.add(name, ref, skeleton);
    if (isGiven && this.#held.own.nameOf(ref) === undefined) this.#added.set(ref, (this.#added.get(ref) ?? 0) + 1);
  }

  /** A name with its server in front need not be held: no other server can have it. */
  #newName(ref: ToolRef): string {
    return this.#heldName(ref) === undefined && this.isFull(ref)
      ? toQualifiedShownName(ref.server, ref.name)
      : this.#ownName(ref);
  }

  /** Different raw names that become equal when made legal are no collision: the one that was legal has the name. */
  #ownName({ name }: ToolRef): string {
    const plain = toShownName(name);
    return this.#shared.has(plain) && name !== plain ? toDistinctShownName(name) : plain;
  }

  #heldName(ref: ToolRef): string | undefined {
    return this.#held.own.nameOf(ref) ?? this.#held.lower?.nameOf(ref);
  }

  #blocker(name: string, ref: ToolRef, skeleton = skeletonOf(name, ref)): ToolRef | undefined {
    if (this.#held.own.nameOf(ref) === name) return undefined;
    const owner = this.#owner(name, ref, skeleton);
    if (owner !== undefined || this.#heldName(ref) === name) return owner;
    return this.#reserved.ownerOf(name, ref, skeleton);
  }

  /** The tool that has the name, or one that could be taken for it. */
  #owner(name: string, ref: ToolRef, skeleton: string): ToolRef | undefined {
    const { own, lower } = this.#held;
    const lowerBlocker = ref.scope === "session" ? undefined : lower?.blocker(name, ref, skeleton);
    return (
      this.#given.blocker(name, ref, skeleton) ??
      own.blocker(name, ref, skeleton) ??
      lowerBlocker ??
      BUILT_INS.blocker(name, ref, skeleton)
    );
  }
}

/** Whether two raw names differed until they were made legal. */
export function isMadeEqual(ref: ToolRef, winner: ToolRef, wanted: string): boolean {
  return winner.name !== ref.name && toShownName(winner.name) === wanted && !isBuiltIn(winner);
}

const BUILT_IN_SERVER = "tacklebox";
const BUILT_INS = new NameIndex();
for (const name of Object.values(BUILT_IN_NAMES))
  BUILT_INS.add(name, { scope: "local", server: BUILT_IN_SERVER, name });

/** Whether the reference stands for one of our own tools, which belong to no server. */
export function isBuiltIn({ scope, server }: ToolRef): boolean {
  return scope === "local" && server === BUILT_IN_SERVER;
}

/** Whether the name was made from the tool's alone, without its server's. */
export function isOwnName(shownName: string, { name }: ToolRef): boolean {
  return shownName === name || shownName === toShownName(name) || shownName === toDistinctShownName(name);
}

function serversOf(candidates: readonly ToolCandidate[]): Iterable<ServerOfTools> {
  return new Map(candidates.map(({ ref }) => [`${ref.scope}\0${ref.server}`, ref])).values();
}

function sharedNames(candidates: readonly ToolCandidate[]): ReadonlySet<string> {
  /** Raw names that had to be changed, by what they became. */
  const changed = new Map<string, string>();
  const shared = new Set<string>();
  for (const { ref } of candidates) {
    const plain = toShownName(ref.name);
    if (plain === ref.name) continue;
    const first = changed.get(plain);
    if (first === undefined) changed.set(plain, ref.name);
    else if (first !== ref.name) shared.add(plain);
  }
  for (const { ref } of candidates) if (changed.has(ref.name)) shared.add(ref.name);
  return shared;
}
