import type { CallOutcome, CallSummary, Clock, JsonObject, Progress, RunEvent } from "@tacklebox/core";
import { formatCallTimes, formatDuration } from "../../output/call-times.ts";
import { printableJson, printableLine, printableText } from "../../output/printable.ts";
import { cutToWidth, textWidth } from "../../output/text-width.ts";
import { wrapText } from "../markdown/word-wrap.ts";
import type { Screen } from "../terminal/screen.ts";

/** Shows the calls of a chat: live rows while they run, then a numbered card that can be shown in full. */
export interface CallCards {
  show(event: RunEvent): void;
  /** Records that the call is made with these arguments instead of the model's. */
  edited(id: string, given: JsonObject): void;
  /** Describes one call in full, by the number on its card; undefined when there is none. */
  describe(number: number): string | undefined;
  /** The number of a call's card. */
  numberOf(id: string): number | undefined;
  count(): number;
}

interface Card {
  readonly id: string;
  readonly number: number;
  readonly tool: string;
  /** Empty when no server has the tool. */
  readonly server: string;
  arguments: JsonObject;
  state: CallState;
  /** Where its time went. Its result follows the event that says so; calls of our own tools have none. */
  spent: Pick<CallSummary, "times" | "sent">;
}

interface LiveCall {
  readonly card: Card;
  readonly state: OpenState;
}

type CallState = OpenState | { readonly kind: "ended"; readonly outcome: CallOutcome; readonly text: string };

type OpenState =
  /** Waiting for a free slot, not for an answer. */
  { readonly kind: "pending"; readonly since: number } | { readonly kind: "asking"; readonly since: number } | Running;

interface Running {
  readonly kind: "running";
  /** Moves on by the time that its server waits for an answer. */
  readonly since: number;
  readonly progress?: Progress;
  /** Since when its server has been waiting for an answer. */
  readonly askedAt?: number;
}

const TICK_MS = 1_000;
const MAX_LIVE = 5;
const MAX_FAILURE_ROWS = 3;
const MAX_TITLE_ROWS = 2;
const INDENT = "  ";
/** A long name is cut before what the call is doing is. */
const MIN_TITLE = 12;

export function createCallCards(screen: Screen, clock: Pick<Clock, "monotonic" | "after">): CallCards {
  const cards: Card[] = [];
  let stopTicking: (() => void) | undefined;
  const find = (id: string) => cards.find((card) => card.id === id);

  function redraw(): void {
    const now = clock.monotonic();
    const open = cards.flatMap((card) => (card.state.kind === "ended" ? [] : [{ card, state: card.state }]));
    // Most calls start at once, so showing them as waiting would only flicker.
    const live = open.filter(({ state }) => state.kind !== "pending" || now - state.since >= TICK_MS);
    screen.show("calls", live.length === 0 ? undefined : (columns) => ({ rows: drawLive(live, columns) }));
    stopTicking?.();
    stopTicking = open.length === 0 ? undefined : clock.after(TICK_MS, redraw);
  }

  function addCard({ id, shownName, server, arguments: given }: CallSummary): void {
    const state = { kind: "pending", since: clock.monotonic() } as const;
    cards.push({ id, number: cards.length + 1, tool: shownName, server, arguments: given, state, spent: {} });
  }

  function drawLive(live: readonly LiveCall[], columns: number): readonly string[] {
    const now = clock.monotonic();
    const rows = live.slice(0, MAX_LIVE).map(({ card, state }) => {
      const doing = printableLine(` · ${describeState(state, now)}`);
      const title = printableLine(`⋯ ${titleOf(card)}`);
      const room = Math.max(MIN_TITLE, columns - 1 - textWidth(doing));
      return screen.paint(cutToWidth(cutToWidth(title, room) + doing, columns - 1), "dim");
    });
    const left = live.length - MAX_LIVE;
    return left > 0 ? [...rows, screen.paint(`… and ${left} more`, "dim")] : rows;
  }

  return {
    show(event) {
      if (event.type === "call-changed" && event.call.status === "pending") addCard(event.call);
      const card = find(callOf(event));
      if (card === undefined) return;
      if (event.type === "approval-requested") {
        card.state = { kind: "asking", since: clock.monotonic() };
        card.arguments = event.request.arguments;
      }
      if (event.type === "approval-answered") card.state = { kind: "pending", since: clock.monotonic() };
      // The end is shown with the result, not with the change of status.
      if (event.type === "call-changed" && event.call.status === "running")
        card.state = { kind: "running", since: clock.monotonic() };
      if (event.type === "call-progressed" && card.state.kind === "running")
        card.state = { ...card.state, progress: event.progress };
      if (event.type === "question-asked" && card.state.kind === "running")
        card.state = { ...card.state, askedAt: clock.monotonic() };
      if (event.type === "question-answered" && card.state.kind === "running")
        card.state = answered(card.state, clock.monotonic());
      if (event.type === "call-changed") card.spent = event.call;
      if (event.type === "call-result") card.state = { kind: "ended", outcome: event.outcome, text: event.text };
      redraw();
      if (event.type === "call-result") screen.print(formatCard(card, event.outcome, event.text, screen));
    },
    edited(id, given) {
      const card = find(id);
      if (card !== undefined) card.arguments = given;
    },
    describe: (number) => {
      const card = cards[number - 1];
      return card === undefined ? undefined : describeCard(card, screen, clock.monotonic());
    },
    numberOf: (id) => find(id)?.number,
    count: () => cards.length,
  };
}

/** The id of the call an event is about; empty when it is about none. */
function callOf(event: RunEvent): string {
  if (event.type === "call-changed") return event.call.id;
  if (event.type === "approval-requested") return event.request.callId;
  if (event.type === "question-asked") return event.question.callId;
  return "callId" in event ? event.callId : "";
}

function answered({ askedAt, since, ...state }: Running, now: number): Running {
  return { ...state, since: since + (askedAt === undefined ? 0 : now - askedAt) };
}

/** What the call is doing, and for how long: waiting is never told as running. */
function describeState(state: OpenState, now: number): string {
  if (state.kind === "pending") return withSeconds("waiting for a slot", now - state.since);
  if (state.kind === "asking") return withSeconds("waiting for you", now - state.since);
  if (state.askedAt !== undefined) return withSeconds("waiting for you", now - state.askedAt);
  const running = withSeconds("running", now - state.since);
  return state.progress === undefined ? running : `${running} · ${describeProgress(state.progress)}`;
}

function withSeconds(doing: string, ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  return seconds > 0 ? `${doing}, ${seconds} s` : doing;
}

function describeProgress({ progress, total, message }: Progress): string {
  const amount = total === undefined ? String(progress) : `${progress}/${total}`;
  return message === undefined ? amount : `${amount} ${message}`;
}

function titleOf({ number, tool, server }: Card): string {
  return server === "" ? `${number} ${tool}` : `${number} ${tool} · ${server}`;
}

/** A card of three lines on a wide terminal: the ending, the arguments and the start of the result. A failure gets a few more. */
function formatCard(card: Card, outcome: CallOutcome, text: string, screen: Screen): string {
  const { paint, columns } = screen;
  const room = columns() - 1;
  const duration = describeTimes(card, outcome);
  const isOk = outcome.status === "success";
  const mark = isOk ? paint("✓", "green") : paint("✗", "red");
  const title = `${titleOf(card)} · ${isOk ? duration : `${outcome.failure.ending} · ${duration}`}`;
  const head = wrapText([{ text: cutToWidth(printableLine(title), (room - 2) * MAX_TITLE_ROWS) }], screen, INDENT);
  const given = cutToWidth(printableJson(JSON.stringify(card.arguments)), room - 2);
  const summary = printableLine(beginningOf(isOk ? text : outcome.failure.message));
  const shown = cutToWidth(summary, (room - 2) * (isOk ? 1 : MAX_FAILURE_ROWS));
  const below = summary === "" ? "" : wrapText([{ text: shown, style: isOk ? "dim" : "yellow" }], screen, INDENT);
  return `${mark} ${head.slice(INDENT.length)}${INDENT}${paint(given, "dim")}\n${below}`;
}

function beginningOf(text: string): string {
  const [first = "", ...others] = text.trim().split(/\r?\n/);
  return others.length === 0 ? first : `${first} … (${others.length} more ${others.length === 1 ? "line" : "lines"})`;
}

function describeTimes({ spent: { times, sent } }: Card, { durationMs }: CallOutcome): string {
  return times === undefined ? formatDuration(durationMs) : formatCallTimes(times, sent);
}

function describeCard(card: Card, { paint }: Screen, now: number): string {
  const { state } = card;
  const status = state.kind === "ended" ? describeEnd(card, state.outcome) : describeState(state, now);
  const lines = [
    paint(printableLine(`${titleOf(card)} · ${status}`), "bold"),
    printableLine(`call ${card.id}`),
    paint("arguments", "bold"),
    printableJson(JSON.stringify(card.arguments, undefined, 2)),
  ];
  if (state.kind === "ended") lines.push(paint("result, as the model reads it", "bold"), printableText(state.text));
  return `${lines.join("\n")}\n`;
}

function describeEnd(card: Card, outcome: CallOutcome): string {
  return `${outcome.status === "success" ? "ok" : outcome.failure.ending} · ${describeTimes(card, outcome)}`;
}
