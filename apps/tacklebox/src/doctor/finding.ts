/** One thing the doctor looked at. */
export interface DoctorFinding {
  readonly about: "node" | "config" | "data" | "server" | "toolbox" | "model" | "vault";
  /** Which server or model. */
  readonly name?: string;
  readonly verdict: "ok" | "warn" | "problem";
  readonly text: string;
  /** What to do about it. */
  readonly next?: string;
}
