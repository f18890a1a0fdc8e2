import type { SerialPerKey } from "../async/serial.ts";
import { recordText } from "../call/result-text.ts";
import type { CallRecord } from "../domain/call.ts";
import type { AssistantMessage, CallPart, CallResultPart, Message, ToolMessage } from "../domain/message.ts";
import type { Session, SessionMessage } from "../domain/session.ts";
import type { Clock } from "../ports/clock.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import type { Sessions } from "../ports/store.ts";
import { redactJson } from "../secrets/redact.ts";

export interface TranscriptDeps {
  readonly sessions: Sessions;
  readonly loadCall: (id: string) => Promise<CallRecord | undefined>;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly redact: Redactor;
  /** Runs changes of one session one at a time. */
  readonly inTurn: SerialPerKey;
  /** Cuts a call's result to the length a model may read. */
  readonly shorten: (text: string, callId: string) => string;
}

/** The messages of a session, which one run reads and appends to. */
export interface Transcript {
  readonly session: Session;
  messages(): readonly Message[];
  /** The messages are durable when it resolves. Rejects with SessionNotKept if they cannot be saved. */
  append(...messages: readonly Message[]): Promise<void>;
}

export interface TranscriptStart {
  readonly id?: string;
  /** The session with that id, if it was opened but never saved. */
  readonly begun?: Session | undefined;
  readonly title: string;
  readonly gpt?: string;
  readonly model: string;
  /** Choices to add, by `server:tool`; earlier choices stay. */
  readonly tools?: Session["tools"];
}

const MAX_TITLE_LENGTH = 80;
const UNTITLED = "Untitled";

/** The store could not save the conversation; going on would lose it. */
export class SessionNotKept extends Error {
  override readonly name = "SessionNotKept";

  constructor(cause: unknown) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    super(`The conversation could not be saved, so the run ended here. ${detail}`, { cause });
  }
}

/**
 * Opens a session, or begins a new one; resolves to undefined if there is none with this id. Calls that a crash left
 * unanswered are answered first.
 */
export async function openTranscript(start: TranscriptStart, deps: TranscriptDeps): Promise<Transcript | undefined> {
  const { sessions, clock, redact } = deps;
  const now = () => new Date(clock.now()).toISOString();
  const saved = await saveOpened(start, deps);
  if (saved === undefined) return undefined;
  const { session, kept, saving } = saved;

  async function append(...messages: readonly Message[]): Promise<void> {
    const first = (kept.at(-1)?.number ?? 0) + 1;
    const added = messages.map(
      (message, index): SessionMessage => ({ sessionId: session.id, number: first + index, at: now(), message }),
    );
    try {
      // People type secrets into prompts, and models repeat them. This run keeps using them; the store gets none.
      await Promise.all([saving, sessions.append(redactJson(redact, added))]);
    } catch (error) {
      throw new SessionNotKept(error);
    }
    kept.push(...added);
  }

  const unanswered = unansweredCalls(kept.map(({ message }) => message));
  if (unanswered.length > 0) await append(await answerCalls(unanswered, deps));
  return { session, messages: () => kept.map(({ message }) => message), append };
}

interface SavedSession {
  readonly session: Session;
  /** Its messages so far. */
  readonly kept: SessionMessage[];
  /** Not awaited when the session is opened, so that it shares one commit with the first messages. */
  readonly saving: Promise<void>;
}

/** Loads the session and saves it as the prompt changes it. No other change of it comes between. */
function saveOpened(start: TranscriptStart, deps: TranscriptDeps): Promise<SavedSession | undefined> {
  const { sessions, clock, inTurn } = deps;
  const title = deps.redact(start.title);
  const id = start.id ?? deps.newId();
  return new Promise((resolve, reject) => {
    const changed = inTurn(id, async () => {
      const now = new Date(clock.now()).toISOString();
      const known =
        start.id === undefined
          ? newSession(title, id, now)
          : withTitle((await sessions.load(start.id)) ?? start.begun, title);
      if (known === undefined) return resolve(undefined);
      const session: Session = {
        ...known,
        updatedAt: now,
        model: start.model,
        ...(start.gpt !== undefined && { gpt: start.gpt }),
        ...(start.tools !== undefined && { tools: { ...known.tools, ...start.tools } }),
      };
      const kept = start.id === undefined ? [] : [...(await sessions.messages(id))];
      const saving = sessions.save(session);
      resolve({ session, kept, saving });
      // Whoever appends the first messages reports a failure.
      await saving.catch(() => undefined);
    });
    changed.catch(reject);
  });
}

/** A session of which nothing is stored yet. */
export function newSession(title: string, id: string, at: string): Session {
  return { id, title: toTitle(title), createdAt: at, updatedAt: at };
}

/** A session without a title gets one from its next prompt. */
function withTitle(session: Session | undefined, title: string): Session | undefined {
  return session?.title === UNTITLED ? { ...session, title: toTitle(title) } : session;
}

function toTitle(title: string): string {
  const line = title.trim().split("\n", 1)[0] ?? "";
  // Counted in code points, so that no surrogate pair is split.
  const characters = Array.from(line);
  const short = characters.length > MAX_TITLE_LENGTH ? `${characters.slice(0, MAX_TITLE_LENGTH - 1).join("")}…` : line;
  return short === "" ? UNTITLED : short;
}

/** Unanswered calls at the end of a conversation: the process died before it could store their results. */
function unansweredCalls(messages: readonly Message[]): readonly CallPart[] {
  const last = messages.at(-1);
  return last?.role === "assistant" ? callsOf(last) : [];
}

export function callsOf({ parts }: AssistantMessage): readonly CallPart[] {
  return parts.filter((part) => part.type === "call");
}

async function answerCalls(calls: readonly CallPart[], deps: TranscriptDeps): Promise<ToolMessage> {
  return { role: "tool", results: await Promise.all(calls.map((call) => answerCall(call, deps))) };
}

async function answerCall({ id, tool, callId }: CallPart, deps: TranscriptDeps): Promise<CallResultPart> {
  const record = callId === undefined ? undefined : await deps.loadCall(callId);
  const whole = record === undefined ? undefined : recordText(record);
  const link = callId === undefined ? {} : { callId };
  if (record === undefined || whole === undefined)
    return { id, tool, text: "MCP error: The call was interrupted before it was made.", isError: true, ...link };
  return { id, tool, text: deps.shorten(whole, record.id), isError: record.status !== "success", ...link };
}
