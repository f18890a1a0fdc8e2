import * as z from "zod/mini";
import { object, optional, string } from "../json/schema.ts";

/** The ways into Tacklebox. `code` is a program that holds the engine itself. */
export const DOORS = ["cli", "chat", "acp", "web", "api", "mcp", "code"] as const;
export const DoorName = z.enum(DOORS);
export type DoorName = z.infer<typeof DoorName>;

/** Who made a call: recorded with it and part of its events. Nothing here is secret. */
export const Caller = object({
  door: DoorName,
  /** The client program's name for itself, such as an editor's name. Untrusted text. */
  client: optional(string),
  /** The session the call belongs to, if any; the engine fills it in. */
  sessionId: optional(string),
  /** On whose authority the call was made, if the door distinguishes people. */
  principal: optional(string),
});
export type Caller = z.infer<typeof Caller>;

export const UNNAMED_CALLER: Caller = { door: "code" };
