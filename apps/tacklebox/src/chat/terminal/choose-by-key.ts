import type { Clock } from "@tacklebox/core";
import { printableLine } from "../../output/printable.ts";
import { cutToWidth, textWidth } from "../../output/text-width.ts";
import { wrapText } from "../markdown/word-wrap.ts";
import type { Choice, Chosen, NoReply } from "../person.ts";
import { type AnswerKeys, createAnswerKeys } from "./answer-keys.ts";
import { drawInput } from "./draw-input.ts";
import type { KeptInput } from "./kept-input.ts";
import type { Key } from "./keyboard.ts";
import type { LiveRows } from "./live-rows.ts";
import type { LineDeps } from "./read-line.ts";
import type { Screen } from "./screen.ts";

export interface ChooseDeps extends LineDeps {
  readonly clock: Pick<Clock, "monotonic" | "after">;
  /** Gets everything that is typed and is no answer. */
  readonly kept: KeptInput;
}

export const PROMPT = "› ";

/**
 * Waits for one of the keys. What was typed before the question appeared, and what is typed in a burst, goes to the
 * next prompt.
 */
export function chooseByKey(choices: readonly Choice[], deps: ChooseDeps, signal: AbortSignal): Promise<Chosen> {
  const { keyboard, screen, kept, clock } = deps;
  return new Promise((resolve) => {
    const earlier = keyboard.takeTypeAhead();
    kept.add(earlier);
    const draw = () => screen.show("person", (columns) => drawChoice(choices, keys, deps, columns));
    const finish = (chosen: Chosen) => {
      stopReading();
      keys.close();
      signal.removeEventListener("abort", giveUp);
      screen.show("person", undefined);
      resolve(chosen);
    };
    const endWithoutReply = (why: NoReply) => finish({ kind: "none", why });
    const giveUp = () => endWithoutReply("withdrawn");
    const keys = createAnswerKeys({
      choices,
      clock,
      kept,
      lastArrival: keyboard.lastArrival,
      wasTyping: earlier.length > 0 && kept.draft().characters.length > 0,
      changed: draw,
      chosen: (key) => finish({ kind: "chosen", key }),
    });
    const take = (key: Key, cameAlone: boolean) => {
      if (key.ctrl && key.name === "c") return endWithoutReply("interrupted");
      if (key.ctrl && key.name === "d" && keys.state().kind !== "typing") return endWithoutReply("left");
      keys.press(key, cameAlone);
    };
    const stopReading = keyboard.read(take);
    signal.addEventListener("abort", giveUp);
    draw();
    if (signal.aborted) giveUp();
  });
}

const TYPING = "Not an answer: this goes into your next prompt. Enter returns to the question.";

function drawChoice(
  choices: readonly Choice[],
  keys: AnswerKeys,
  { screen, kept, terminal }: ChooseDeps,
  columns: number,
): LiveRows {
  const state = keys.state();
  if (state.kind === "typing") {
    const hint = fold(TYPING, screen, columns).map((row) => screen.paint(row, "dim"));
    const rows = Math.max(1, terminal.rows() - 2 - hint.length);
    const input = drawInput(kept.draft(), { label: PROMPT, painted: screen.paint(PROMPT, "cyan"), columns, rows });
    return { ...input, rows: [...input.rows, ...hint] };
  }
  if (state.kind === "selected") return { rows: drawSelected(state.choice, screen, columns) };
  // Keys do not count yet, so none is offered.
  if (!keys.isOpen()) return { rows: [] };
  return { rows: [...drawChoices(choices, screen, columns), ...drawKept(kept, screen, columns)] };
}

function drawSelected({ key, enter = "" }: Choice, screen: Screen, columns: number): readonly string[] {
  const rows = fold(`${key} selected: Enter ${enter}, Backspace goes back.`, screen, columns);
  return rows.map((row, at) => (at === 0 ? screen.paint(key, "cyan") + row.slice(key.length) : row));
}

function drawKept(kept: KeptInput, { paint }: Screen, columns: number): readonly string[] {
  const text = kept.text().trim();
  return text === ""
    ? []
    : [paint(cutToWidth(printableLine(`Kept for your next prompt: ${text}`), columns - 1), "dim")];
}

function drawChoices(choices: readonly Choice[], { paint }: Screen, columns: number): readonly string[] {
  const rows: string[] = [];
  let row = "";
  let width = 0;
  for (const { key, label, enter } of choices) {
    const keys = enter === undefined ? key : `${key}+Enter`;
    const text = `${paint(keys, "cyan")} ${label}`;
    const wide = textWidth(keys) + 1 + textWidth(label);
    const isFull = width > 0 && width + GAP.length + wide > columns - 1;
    if (isFull) rows.push(row);
    row = isFull || width === 0 ? text : row + GAP + text;
    width = isFull || width === 0 ? wide : width + GAP.length + wide;
  }
  return [...rows, row];
}

const GAP = "  ";

function fold(text: string, { paint }: Screen, columns: number): readonly string[] {
  return wrapText([{ text }], { paint, columns: () => columns })
    .trimEnd()
    .split("\n");
}
