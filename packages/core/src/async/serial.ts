/** Runs changes one at a time, in the order they were requested: two at once could undo each other. */
export function createSerial(): <T>(change: () => Promise<T>) => Promise<T> {
  let changing: Promise<unknown> = Promise.resolve();
  return (change) => {
    const result = changing.then(change, change);
    changing = result.catch(() => undefined);
    return result;
  };
}
