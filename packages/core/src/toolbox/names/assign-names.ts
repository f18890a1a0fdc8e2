import type { HiddenTool, NameConflict, RegisteredTool, ToolboxSettings } from "../../domain/tool.ts";
import type { Notice, ToolCandidate } from "../registration.ts";
import { collisionNotice, hiddenText, tooManyNamesText } from "./collision-texts.ts";
import { BEST_CLAIM } from "./name-claims.ts";
import { NameIndex } from "./name-index.ts";
import { type HeldNames, isMadeEqual, type Loss, Naming } from "./naming.ts";
import { toQualifiedShownName } from "./shown-name.ts";

export interface NamedTools {
  /** By shown name. */
  readonly tools: ReadonlyMap<string, RegisteredTool>;
  /** The tools that lost their name to another tool and got no other. */
  readonly nameless: readonly RegisteredTool[];
  readonly hidden: readonly HiddenTool[];
  readonly conflicts: readonly NameConflict[];
  readonly notices: readonly Notice[];
}

/**
 * Gives every candidate the name that models see. Candidates come in configuration order, local tools first. A tool
 * keeps the name it holds. If several claim a free one, a session's tool wins over a local one, a local one over MCP,
 * and among MCP servers the best claim, then the last one wins. Names that look the same count as one if their servers differ.
 */
export function assignNames(
  candidates: readonly ToolCandidate[],
  settings: ToolboxSettings,
  held: HeldNames = { own: new NameIndex() },
): NamedTools {
  const naming = new Naming(candidates, settings, held);
  const losses = new Map<ToolCandidate, Loss>();
  for (const candidate of inOrderOfClaims(candidates, settings, held)) {
    const loss = naming.claim(candidate.ref);
    if (loss !== undefined) losses.set(candidate, loss);
  }
  const hidden: HiddenTool[] = [];
  const conflicts: NameConflict[] = [];
  const notices: Notice[] = [];
  const nameless: RegisteredTool[] = [];
  for (const candidate of candidates) {
    const loss = losses.get(candidate);
    if (loss === undefined) continue;
    const { ref } = candidate;
    const shownName = naming.giveOther(ref, loss);
    if (shownName !== undefined && isMadeEqual(ref, loss.winner, loss.wanted)) continue;
    const { wanted, winner: holder } = loss;
    const conflict = { ref, wanted, holder, ...(shownName !== undefined && { shownName }) };
    conflicts.push(conflict);
    notices.push(collisionNotice(conflict, loss, settings));
    if (shownName !== undefined) continue;
    const qualified = toQualifiedShownName(ref.server, ref.name);
    nameless.push({ ...candidate, shownName: qualified });
    hidden.push({
      ref,
      reason: { kind: "collision", detail: hiddenText(conflict, qualified, settings), winner: holder },
    });
  }
  notices.push(...fullNotices(candidates, naming));
  return { tools: inOrderOfNames(candidates, naming, losses), nameless, hidden, conflicts, notices };
}

function fullNotices(candidates: readonly ToolCandidate[], naming: Naming): Notice[] {
  const servers = new Map(candidates.map(({ ref }) => [`${ref.scope}:${ref.server}`, ref]));
  return [...servers].flatMap(([key, ref]) =>
    naming.isFull(ref) ? [{ key: `full:${key}`, level: "warn", text: tooManyNamesText(ref.server) }] : [],
  );
}

/** A name has the place of the first candidate that wanted it; names that were given instead come last. */
function inOrderOfNames(
  candidates: readonly ToolCandidate[],
  naming: Naming,
  losses: ReadonlyMap<ToolCandidate, Loss>,
): ReadonlyMap<string, RegisteredTool> {
  const named = new Map<string, RegisteredTool>();
  for (const candidate of candidates) {
    const shownName = naming.nameOf(candidate.ref);
    if (shownName !== undefined) named.set(shownName, { ...candidate, shownName });
  }
  if (losses.size === 0) return named;
  const wanted = candidates.map((candidate) => losses.get(candidate)?.wanted ?? naming.nameOf(candidate.ref) ?? "");
  const ordered = new Map<string, RegisteredTool>();
  for (const name of [...wanted, ...named.keys()]) {
    const tool = named.get(name);
    if (tool !== undefined) ordered.set(name, tool);
  }
  return ordered;
}

/** Who claims first: tools that hold a name, then by scope, then by claim, then the last in configuration order. */
function inOrderOfClaims(
  candidates: readonly ToolCandidate[],
  { localCollision }: ToolboxSettings,
  { own, lower, claimOf = () => 0 }: HeldNames,
): readonly ToolCandidate[] {
  const rank = ({ ref }: ToolCandidate): number => {
    if (own.nameOf(ref) !== undefined) return BEST_CLAIM + 4;
    if (ref.scope === "session") return BEST_CLAIM + 3;
    if (lower?.nameOf(ref) !== undefined) return BEST_CLAIM + 2;
    return ref.scope === "local" && localCollision === "local_wins" ? BEST_CLAIM + 1 : claimOf(ref);
  };
  const ranked = candidates.map((candidate) => ({ candidate, rank: rank(candidate) })).reverse();
  return ranked.sort((a, b) => b.rank - a.rank).map(({ candidate }) => candidate);
}
