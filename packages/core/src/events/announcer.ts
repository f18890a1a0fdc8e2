import type { CallEvent, EngineEvent, Numbered } from "../domain/events.ts";
import { timeOf } from "../platform/time-of.ts";
import type { Clock } from "../ports/clock.ts";
import { EventLog } from "./event-log.ts";

/** Publishes everything that happens in the engine. */
export interface Announcer {
  emit(event: EngineEvent): void;
  /** Whether an event about this call would reach anyone, now or later: for most calls no one listens. */
  wantsEvents(callId: string): boolean;
  /** The same for events that are worth nothing later, such as progress. */
  wantsProgress(callId: string): boolean;
  /** Calls the listener for every event about one call, in order and at once. Returns a function that stops it. */
  watch(callId: string, listener: (event: CallEvent) => void): () => void;
  follow(after?: string): AsyncIterable<Numbered<EngineEvent>>;
  last(): string;
}

const MAX_KEPT = 2_000;
const MAX_CHARACTERS = 8 * 1024 * 1024;
/** Readers that lost their connection come back quickly; after this time no one is expected to. */
const KEPT_FOR_MS = 60_000;

export function createAnnouncer(clock: Clock): Announcer {
  // Different in each process, so that an event id of one process is unknown to another.
  const epoch = crypto.randomUUID().slice(0, 8);
  const log = new EventLog<EngineEvent>({
    name: epoch,
    maxEvents: MAX_KEPT,
    maxCharacters: MAX_CHARACTERS,
    afterGap: "newest",
    now: () => timeOf(clock),
    onLastReaderGone: () => (mayComeBack ? keep() : log.dropAll()),
  });
  const watchers = new Map<string, (event: CallEvent) => void>();
  /**
   * Whether a reader asked for the id of the last event: such a reader may come back and go on from there. Events are
   * not kept for other readers, which begin with new events.
   */
  let mayComeBack = false;
  /** Until when events are kept although no one reads them; undefined if they are not kept. */
  let keepUntil: number | undefined;

  function keep(): void {
    keepUntil = clock.monotonic() + KEPT_FOR_MS;
  }

  function isKept(): boolean {
    if (log.isRead) return true;
    if (keepUntil === undefined) return false;
    if (clock.monotonic() < keepUntil) return true;
    keepUntil = undefined;
    log.dropAll();
    return false;
  }

  return {
    emit(event) {
      const watcher = watchers.size === 0 ? undefined : watchers.get(callOf(event) ?? "");
      const isWanted = isKept();
      if (!isWanted && watcher === undefined) return;
      // One copy for all readers: the emitting code may go on to change its values, such as a caller its arguments.
      const copy = structuredClone(event);
      if (isWanted) log.push(copy);
      watcher?.(copy as CallEvent);
    },
    wantsEvents: (callId) => isKept() || (watchers.size > 0 && watchers.has(callId)),
    wantsProgress: (callId) => log.isRead || (watchers.size > 0 && watchers.has(callId)),
    watch(callId, listener) {
      watchers.set(callId, listener);
      return () => watchers.delete(callId);
    },
    follow: (after) => log.read(after),
    last() {
      mayComeBack = true;
      keep();
      return log.last;
    },
  };
}

function callOf(event: EngineEvent): string | undefined {
  switch (event.type) {
    case "call-changed":
      return event.call.id;
    case "call-progressed":
    case "approval-answered":
    case "question-answered":
      return event.callId;
    case "approval-requested":
      return event.request.callId;
    case "question-asked":
      return event.question.callId;
    default:
      return undefined;
  }
}
