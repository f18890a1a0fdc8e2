/** Time as an argument, so that tests own it. */
export interface Clock {
  /** Milliseconds since the epoch, for records. */
  now(): number;
  /** Milliseconds that never go back, for durations and deadlines. */
  monotonic(): number;
  /** Runs `task` once after `ms`; the returned function withdraws it. */
  after(ms: number, task: () => void): () => void;
  /** In [0, 1), for jitter. */
  random(): number;
}
