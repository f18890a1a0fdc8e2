/** Keeps the best rows of many in a heap whose top is the worst of them. */
export interface TopRows {
  offer(row: number, score: number): void;
  /**
   * Whether a row with this score would be kept. Rows are offered in ascending order, so one with an equal score loses.
   */
  wants(score: number): boolean;
  /** Best first; of equal scores, the lower row first. */
  take(): readonly RankedRow[];
}

export interface RankedRow {
  readonly row: number;
  readonly score: number;
}

export function createTopRows(limit: number): TopRows {
  const heap: RankedRow[] = [];
  return {
    wants: (score) => heap.length < limit || (heap[0] !== undefined && score > heap[0].score),
    offer(row, score) {
      if (heap.length < limit) {
        heap.push({ row, score });
        rise(heap, heap.length - 1);
        return;
      }
      heap[0] = { row, score };
      sink(heap, 0);
    },
    take: () => heap.sort((a, b) => (isWorse(a, b) ? 1 : -1)),
  };
}

function isWorse(a: RankedRow | undefined, b: RankedRow | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.score === b.score ? a.row > b.row : a.score < b.score;
}

function rise(heap: RankedRow[], from: number): void {
  let at = from;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!isWorse(heap[at], heap[parent])) return;
    swap(heap, at, parent);
    at = parent;
  }
}

function sink(heap: RankedRow[], from: number): void {
  let at = from;
  for (;;) {
    const left = at * 2 + 1;
    const worse = isWorse(heap[left + 1], heap[left]) ? left + 1 : left;
    if (!isWorse(heap[worse], heap[at])) return;
    swap(heap, at, worse);
    at = worse;
  }
}

function swap(heap: RankedRow[], a: number, b: number): void {
  const [first, second] = [heap[a], heap[b]];
  if (first === undefined || second === undefined) return;
  heap[a] = second;
  heap[b] = first;
}
