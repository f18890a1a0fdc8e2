/** Runs changes one at a time, in the order they were requested: two at once could undo each other. */
export function createSerial(): <T>(change: () => Promise<T>) => Promise<T> {
  let changing: Promise<unknown> = Promise.resolve();
  return (change) => {
    const result = changing.then(change, change);
    changing = result.catch(() => undefined);
    return result;
  };
}

/** Runs changes of the same thing one at a time; changes of different things do not wait for each other. */
export type SerialPerKey = <T>(key: string, change: () => Promise<T>) => Promise<T>;

export function createSerialPerKey(): SerialPerKey {
  const changing = new Map<string, Promise<unknown>>();
  return (key, change) => {
    const result = (changing.get(key) ?? Promise.resolve()).then(change);
    const settled = result
      .catch(() => undefined)
      .then(() => {
        if (changing.get(key) === settled) changing.delete(key);
      });
    changing.set(key, settled);
    return result;
  };
}
