import * as z from "zod/mini";
import { list, map, number, object, optional, string } from "../json/schema.ts";
import { Message } from "./message.ts";
import { ServerDefinition } from "./server.ts";

/** `in`: the tool is part of every request, whatever its include mode. `out`: it does not exist for this session. */
export const ToolChoice = z.enum(["in", "out"]);
export type ToolChoice = z.infer<typeof ToolChoice>;

/** One conversation. Its messages are kept in order and survive a restart. */
export const Session = object({
  id: string,
  /** One line, taken from the first prompt. */
  title: string,
  createdAt: string,
  updatedAt: string,
  gpt: optional(string),
  model: optional(string),
  /** The session's folders as set by the door that last opened it: absolute paths, the working directory first. */
  folders: optional(list(string)),
  /** Tools a person added or removed, by `server:tool`. Every other tool follows its include mode. */
  tools: optional(map(ToolChoice)),
});
export type Session = z.infer<typeof Session>;

export const SessionMessage = object({
  sessionId: string,
  /** Counts up from 1 within the session. */
  number: number,
  at: string,
  message: Message,
});
export type SessionMessage = z.infer<typeof SessionMessage>;

export const SessionQuery = object({
  limit: number,
  /** Only sessions whose id begins with this. */
  idPrefix: optional(string),
  /** The `next` of another page: only sessions last used before that. */
  after: optional(string),
});
export type SessionQuery = z.infer<typeof SessionQuery>;

export const MessageQuery = object({
  /** 100 if absent. */
  limit: optional(number),
  /** The `next` of another page. */
  after: optional(string),
});
export type MessageQuery = z.infer<typeof MessageQuery>;

/** A session with all of its messages, oldest first. */
export interface Conversation {
  readonly session: Session;
  readonly messages: readonly SessionMessage[];
}

/** How a door opens a session. The servers are not saved: a door that reopens the session passes them again. */
export const SessionOpening = object({
  /** The saved session to continue; a new one is created if absent. */
  id: optional(string),
  /**
   * The id for a new session, for a door that must know it before the session's first event. Refused if it is taken.
   */
  wantedId: optional(string),
  /** The title of a new session; taken from its first prompt if absent. */
  title: optional(string),
  /** The session's own servers. They are never required, and are closed with the session. */
  servers: list(ServerDefinition),
  /**
   * Names of requested servers that the door could not turn into definitions: models are told that they are missing.
   */
  unusable: optional(list(string)),
  /** Absolute paths, the working directory first: the roots sent to its servers, and the folder they start in. */
  folders: optional(list(string)),
  gpt: optional(string),
  model: optional(string),
});
export type SessionOpening = z.infer<typeof SessionOpening>;
