/**
 * Does `work` for all items at once, each with a signal of its own that aborts together with `signal`. Node warns of a
 * leak when more than ten listen to one signal, which is nothing but twelve servers being asked at the same time.
 */
export async function withSignalEach<Item, Result>(
  items: readonly Item[],
  signal: AbortSignal,
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  const stops = new Set<AbortController>();
  const abort = () => {
    for (const stop of stops) stop.abort(signal.reason);
  };
  const begin = (item: Item) => {
    const stop = new AbortController();
    stops.add(stop);
    if (signal.aborted) stop.abort(signal.reason);
    return work(item, stop.signal);
  };
  signal.addEventListener("abort", abort);
  try {
    return await Promise.all(items.map(begin));
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
