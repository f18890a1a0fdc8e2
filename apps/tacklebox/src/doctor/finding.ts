/** The result of one check of `tacklebox doctor`. */
export interface DoctorFinding {
  readonly about: "node" | "config" | "data" | "server" | "toolbox" | "model" | "vault";
  /** The server, model or secret it is about. */
  readonly name?: string;
  readonly verdict: "ok" | "warn" | "problem";
  readonly text: string;
  /** What the person can do about it. */
  readonly next?: string;
}
