/** The candidate a person most likely meant, if any is close enough to be worth suggesting. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  // Edit distance is quadratic in the length, and no real name is this long.
  if (name.length > 100) return undefined;
  const wanted = plain(name);
  let best: string | undefined;
  // A candidate that shares no character with what was typed is not what anybody meant.
  let bestDistance = Math.min(Math.ceil(wanted.length / 3) + 1, Math.max(wanted.length, 1));
  for (const candidate of candidates) {
    const reachable = plain(candidate);
    // Cheap to skip: names that differ this much in length cannot be close, and there may be ten thousand candidates.
    if (Math.abs(reachable.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, reachable);
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/** Returns ` Did you mean 'x'?` to append to a sentence, or an empty text. */
export function suggestion(name: string, candidates: readonly string[]): string {
  const nearest = nearestName(name, candidates);
  return nearest === undefined ? "" : ` Did you mean '${nearest}'?`;
}

// People treat maxInstances, max-instances and max_instances as the same name.
function plain(name: string): string {
  return name.replace(/[-_ ]/g, "").toLowerCase();
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const change = a[row - 1] === b[column - 1] ? 0 : 1;
      current.push(
        Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (previous[column - 1] ?? 0) + change),
      );
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
