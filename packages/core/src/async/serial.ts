/** Makes changes one after the other, in the order they were asked for: two at once could each undo the other's. */
export function createSerial(): <T>(change: () => Promise<T>) => Promise<T> {
  let changing: Promise<unknown> = Promise.resolve();
  return (change) => {
    const result = changing.then(change, change);
    changing = result.catch(() => undefined);
    return result;
  };
}
