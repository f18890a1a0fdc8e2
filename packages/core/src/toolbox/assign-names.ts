import type { HiddenTool, RegisteredTool, ToolboxSettings } from "../domain/tool.ts";
import type { Notice, ToolCandidate } from "./registration.ts";
import { toDistinctShownName, toQualifiedShownName, toShownName } from "./shown-name.ts";

export interface NamedTools {
  /** By shown name. */
  readonly tools: ReadonlyMap<string, RegisteredTool>;
  /** The tools that lost their name to another tool. */
  readonly hidden: readonly HiddenTool[];
  readonly notices: readonly Notice[];
}

/**
 * Gives every candidate the name that models see. Candidates come in configuration order, local tools first. If several
 * claim one name, a session's tool wins over a local one, a local one over MCP, and among MCP servers the last one
 * wins.
 */
export function assignNames(candidates: readonly ToolCandidate[], settings: ToolboxSettings): NamedTools {
  const tools = new Map<string, RegisteredTool>();
  const hidden: HiddenTool[] = [];
  const notices: Notice[] = [];
  const losers: { candidate: ToolCandidate; winner: ToolCandidate }[] = [];

  for (const [shownName, group] of groupByShownName(candidates)) {
    const winner = group.reduce((best, next) => (wins(next, best, settings) ? next : best));
    tools.set(shownName, { ...winner, shownName });
    for (const candidate of group) if (candidate !== winner) losers.push({ candidate, winner });
  }
  for (const { candidate, winner } of losers) {
    notices.push(collisionNotice(candidate, winner));
    const qualified = toQualifiedShownName(candidate.ref.server, candidate.ref.name);
    if (settings.collisions === "qualify" && !tools.has(qualified)) {
      tools.set(qualified, { ...candidate, shownName: qualified });
      continue;
    }
    const detail = `hidden by the tool of the same name from '${winner.ref.server}'; set toolbox.collisions to qualify to show it as ${qualified}`;
    hidden.push({ ref: candidate.ref, reason: { kind: "collision", detail, winner: winner.ref } });
  }
  return { tools, hidden, notices };
}

/** Different raw names that become equal when made legal are no collision: the one that was legal keeps the name. */
function groupByShownName(candidates: readonly ToolCandidate[]): Map<string, ToolCandidate[]> {
  const plainNames = candidates.map(({ ref }) => toShownName(ref.name));
  const firstRawName = new Map<string, string>();
  const shared = new Set<string>();
  for (const [index, { ref }] of candidates.entries()) {
    const plain = plainNames[index] ?? "";
    const first = firstRawName.get(plain);
    if (first === undefined) firstRawName.set(plain, ref.name);
    if (first !== undefined && first !== ref.name) shared.add(plain);
  }
  const groups = new Map<string, ToolCandidate[]>();
  for (const [index, candidate] of candidates.entries()) {
    const { name } = candidate.ref;
    const plain = plainNames[index] ?? "";
    const shown = shared.has(plain) && name !== plain ? toDistinctShownName(name) : plain;
    const group = groups.get(shown);
    if (group === undefined) groups.set(shown, [candidate]);
    else group.push(candidate);
  }
  return groups;
}

/** Whether `next`, which comes later in configuration order, takes the name from `best`. */
function wins(next: ToolCandidate, best: ToolCandidate, settings: ToolboxSettings): boolean {
  return rank(next, settings) >= rank(best, settings);
}

function rank({ ref }: ToolCandidate, settings: ToolboxSettings): number {
  if (ref.scope === "session") return 2;
  return ref.scope === "local" && settings.localCollision === "local_wins" ? 1 : 0;
}

function collisionNotice(loser: ToolCandidate, winner: ToolCandidate): Notice {
  return {
    key: `collision:${loser.ref.scope}:${loser.ref.server}:${loser.ref.name}`,
    level: "warn",
    text: `Tool '${loser.ref.name}' is offered by '${loser.ref.server}' and by '${winner.ref.server}'; the one from '${winner.ref.server}' is used`,
  };
}
