import type { Message } from "./message.ts";
import type { ServerDefinition } from "./server.ts";

/** One conversation. Its messages are kept in order and survive a restart. */
export interface Session {
  readonly id: string;
  /** From the first prompt, one line. */
  readonly title: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly gpt?: string;
  readonly model?: string;
  /** Where it works, as the door that opened it last said: absolute paths, the working directory first. */
  readonly folders?: readonly string[];
  /** What a person put in or took out, by `server:tool`. Every other tool follows its include mode (C3.1). */
  readonly tools?: Readonly<Record<string, ToolChoice>>;
}

/** `in`: part of every request, whatever its include mode. `out`: does not exist for this session. */
export type ToolChoice = "in" | "out";

export interface SessionMessage {
  readonly sessionId: string;
  /** Counts up from 1 within the session. */
  readonly number: number;
  readonly at: string;
  readonly message: Message;
}

export interface SessionQuery {
  readonly limit: number;
  /** The `next` of another page: what was used before that. */
  readonly after?: string;
}

export interface MessageQuery {
  /** 100 when absent. */
  readonly limit?: number;
  /** The `next` of another page. */
  readonly after?: string;
}

/** A session with all of its messages, oldest first. */
export interface Conversation {
  readonly session: Session;
  readonly messages: readonly SessionMessage[];
}

/** What a door brings to a session. Its servers are not kept: whoever opens the session again brings them again (S3.8). */
export interface SessionOpening {
  /** A saved session to go on with; a new one when absent. */
  readonly id?: string;
  /** The id of a new session, for a door that must know it before the session says anything. Refused when it is taken. */
  readonly wantedId?: string;
  /** Of a new session; from its first prompt when absent. */
  readonly title?: string;
  /** The session's own servers. Never required, and gone with it (S3.16). */
  readonly servers: readonly ServerDefinition[];
  /** Names of servers it should have had and the door cannot even describe: models are told that they are missing. */
  readonly unusable?: readonly string[];
  /** Absolute paths, the working directory first: what its servers are told as roots, and where they start (S3.28). */
  readonly folders?: readonly string[];
  readonly gpt?: string;
  readonly model?: string;
}
