/** The ways into Tacklebox. `code` is a program that holds the engine itself. */
export const DOORS = ["cli", "chat", "acp", "web", "api", "mcp", "code"] as const;
export type DoorName = (typeof DOORS)[number];

/** Who asked for a call: kept with it and told with it. Nothing here is a secret. */
export interface Caller {
  readonly door: DoorName;
  /** What the program behind the door calls itself, such as an editor's name. Untrusted text. */
  readonly client?: string;
  /** The session the call belongs to, if any; the engine fills it in. */
  readonly sessionId?: string;
  /** Whose authority it was made with, where a door tells people apart. */
  readonly principal?: string;
}

export const UNNAMED_CALLER: Caller = { door: "code" };
