/** Time and timers, passed in so that tests control them. */
export interface Clock {
  /** Milliseconds since the epoch, for records. */
  now(): number;
  /** Milliseconds that never go backwards, for durations and deadlines. */
  monotonic(): number;
  /** Runs `task` once after `ms`; returns a function that cancels it. */
  after(ms: number, task: () => void): () => void;
  /** Like `after`, but does not keep the process alive: if nothing else is left to do, it may exit before. */
  inBackground(ms: number, task: () => void): () => void;
  /** A random number in [0, 1), for jitter. */
  random(): number;
}
