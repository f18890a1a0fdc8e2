/** Where the failpoint host kills itself; `nowhere` lets it end normally. */
export const FAILPOINTS = [
  "nowhere",
  "before the running row is committed",
  "after the running row is committed",
  "after the call is written",
  "while the server works",
  "before the end is committed",
  "after the end is committed",
  "in recovery",
] as const;
export type Failpoint = (typeof FAILPOINTS)[number];
