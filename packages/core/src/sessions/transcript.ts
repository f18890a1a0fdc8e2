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
  /** A call's result as long as a model may read it. */
  readonly shorten: (text: string, callId: string) => string;
}

/** A session that one run writes to. */
export interface Transcript {
  readonly session: Session;
  messages(): readonly Message[];
  /** Durable when it resolves. */
  append(...messages: readonly Message[]): Promise<void>;
}

export interface TranscriptStart {
  readonly id?: string;
  /** The session with that id, where nothing of it was kept yet. */
  readonly begun?: Session | undefined;
  readonly title: string;
  readonly gpt?: string;
  readonly model: string;
  /** By `server:tool`; those chosen before stay. */
  readonly tools?: Session["tools"];
}

const LONGEST_TITLE = 80;
const UNTITLED = "Untitled";

/** The store did not take what was said; going on would lose it. */
export class SessionNotKept extends Error {
  override readonly name = "SessionNotKept";

  constructor(cause: unknown) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    super(`The conversation could not be saved, so the run ended here. ${detail}`, { cause });
  }
}

/** Opens a session, or begins one; undefined when there is none with this id. Calls a crash left open are answered first. */
export async function openTranscript(start: TranscriptStart, deps: TranscriptDeps): Promise<Transcript | undefined> {
  const { sessions, clock, redact } = deps;
  const now = () => new Date(clock.now()).toISOString();
  const title = redact(start.title);
  const known =
    start.id === undefined
      ? newSession(title, deps.newId(), now())
      : withTitle((await sessions.load(start.id)) ?? start.begun, title);
  if (known === undefined) return undefined;
  const session: Session = {
    ...known,
    updatedAt: now(),
    model: start.model,
    ...(start.gpt !== undefined && { gpt: start.gpt }),
    ...(start.tools !== undefined && { tools: { ...known.tools, ...start.tools } }),
  };
  const kept = start.id === undefined ? [] : [...(await sessions.messages(session.id))];
  // Not waited for here: it shares its commit with the first messages.
  const saving = sessions.save(session);
  saving.catch(() => undefined);

  async function append(...messages: readonly Message[]): Promise<void> {
    const first = (kept.at(-1)?.number ?? 0) + 1;
    const added = messages.map(
      (message, index): SessionMessage => ({ sessionId: session.id, number: first + index, at: now(), message }),
    );
    try {
      // People type secrets into prompts and models repeat them. This run goes on with them; what is kept has none.
      await Promise.all([saving, sessions.append(redactJson(redact, added))]);
    } catch (error) {
      throw new SessionNotKept(error);
    }
    kept.push(...added);
  }

  const open = openCalls(kept.map(({ message }) => message));
  if (open.length > 0) await append(await answerOpenCalls(open, deps));
  return { session, messages: () => kept.map(({ message }) => message), append };
}

/** A session of which nothing is kept yet. */
export function newSession(title: string, id: string, at: string): Session {
  return { id, title: toTitle(title), createdAt: at, updatedAt: at };
}

/** One that has no title yet gets it from its next prompt. */
function withTitle(session: Session | undefined, title: string): Session | undefined {
  return session?.title === UNTITLED ? { ...session, title: toTitle(title) } : session;
}

function toTitle(title: string): string {
  const line = title.trim().split("\n", 1)[0] ?? "";
  // By characters, not halves of them.
  const characters = Array.from(line);
  const short = characters.length > LONGEST_TITLE ? `${characters.slice(0, LONGEST_TITLE - 1).join("")}…` : line;
  return short === "" ? UNTITLED : short;
}

/** Calls at the end of a conversation that nobody answered: the process died between the two. */
function openCalls(messages: readonly Message[]): readonly CallPart[] {
  const last = messages.at(-1);
  return last?.role === "assistant" ? callsOf(last) : [];
}

export function callsOf({ parts }: AssistantMessage): readonly CallPart[] {
  return parts.filter((part) => part.type === "call");
}

async function answerOpenCalls(calls: readonly CallPart[], deps: TranscriptDeps): Promise<ToolMessage> {
  return { role: "tool", results: await Promise.all(calls.map((call) => answerOpenCall(call, deps))) };
}

async function answerOpenCall({ id, tool, callId }: CallPart, deps: TranscriptDeps): Promise<CallResultPart> {
  const record = callId === undefined ? undefined : await deps.loadCall(callId);
  const whole = record === undefined ? undefined : recordText(record);
  const link = callId === undefined ? {} : { callId };
  if (record === undefined || whole === undefined)
    return { id, tool, text: "MCP error: The call was interrupted before it was made.", isError: true, ...link };
  return { id, tool, text: deps.shorten(whole, record.id), isError: record.status !== "success", ...link };
}
