import type { CallEvent, EngineEvent, Numbered } from "../domain/events.ts";
import type { Clock } from "../ports/clock.ts";
import { EventLog } from "./event-log.ts";

/** Where everything that happens is told. */
export interface Announcer {
  emit(event: EngineEvent): void;
  /** Whether anybody hears what is told of this call: most calls are made where nobody does. */
  isHeard(callId: string): boolean;
  /** The same for what is worth nothing later, such as progress. */
  isFollowed(callId: string): boolean;
  /** Whoever made a call hears its events as well, in order and at once. Returns how to stop that. */
  watch(callId: string, listener: (event: CallEvent) => void): () => void;
  follow(after?: string): AsyncIterable<Numbered<EngineEvent>>;
  last(): string;
}

const MOST_KEPT = 2_000;
const MOST_CHARACTERS = 8 * 1024 * 1024;
/** Readers that lost their connection come back within moments; without any there is nobody to keep events for. */
const KEPT_FOR_MS = 60_000;

export function createAnnouncer(clock: Clock): Announcer {
  // Another one in each process, so that a place in the events of one is none in those of another.
  const epoch = crypto.randomUUID().slice(0, 8);
  const log = new EventLog<EngineEvent>({
    name: epoch,
    most: MOST_KEPT,
    mostWeight: MOST_CHARACTERS,
    afterGap: "newest",
    now: () => clock.now(),
    onUnread: () => (mayComeBack ? keep() : log.breakOff()),
  });
  const watchers = new Map<string, (event: CallEvent) => void>();
  /** Somebody asked where the events are: such a reader goes on where it was. Others begin anew, and cost nothing when gone. */
  let mayComeBack = false;
  /** Until when events are kept though nobody reads them; undefined while none are. */
  let keepUntil: number | undefined;

  function keep(): void {
    keepUntil = clock.monotonic() + KEPT_FOR_MS;
  }

  function isKept(): boolean {
    if (log.isRead) return true;
    if (keepUntil === undefined) return false;
    if (clock.monotonic() < keepUntil) return true;
    keepUntil = undefined;
    log.breakOff();
    return false;
  }

  return {
    emit(event) {
      const watcher = watchers.size === 0 ? undefined : watchers.get(callOf(event) ?? "");
      const isWanted = isKept();
      if (!isWanted && watcher === undefined) return;
      // One copy for all: what made the event may go on with its values, such as a caller with its arguments (T1.9).
      const told = structuredClone(event);
      if (isWanted) log.push(told);
      watcher?.(told as CallEvent);
    },
    isHeard: (callId) => isKept() || (watchers.size > 0 && watchers.has(callId)),
    isFollowed: (callId) => log.isRead || (watchers.size > 0 && watchers.has(callId)),
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
