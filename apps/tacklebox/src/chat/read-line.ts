import type { Terminal } from "../io.ts";
import { cutToWidth, textWidth } from "../output/text-width.ts";
import { drawInput } from "./draw-input.ts";
import type { Key, Keyboard } from "./keyboard.ts";
import { applyKey, type EditStep, type LineDraft, textOf, toLineDraft } from "./line-editor.ts";
import type { PersonReply } from "./person.ts";
import type { Screen } from "./screen.ts";

/** A line somebody is typing. */
export interface OpenLine {
  draft(): LineDraft;
  /** Set while something is said below the line; the next key removes it. */
  hint(): string | undefined;
  become(draft: LineDraft, hint?: string): void;
  finish(said: PersonReply): void;
}

/** What the line itself has no answer to: history, completion, Ctrl-C. */
export type OtherStep = Extract<EditStep["kind"], "older" | "newer" | "complete" | "interrupted">;

export interface LineSetting {
  readonly label: string;
  readonly initial: string;
  /** Below the line until the first key. */
  readonly hint?: string;
  /** Keys wait until a promise it gave is settled: what is typed behind Tab belongs behind what Tab put there. */
  readonly other: (line: OpenLine, step: OtherStep) => Promise<void> | undefined;
}

export interface LineDeps {
  readonly keyboard: Keyboard;
  readonly screen: Screen;
  readonly terminal: Pick<Terminal, "rows">;
}

/** Reads keys into a line at the bottom of the screen until it is finished, by Enter, Ctrl-D or `other`. */
export function readLine(
  { label, initial, hint: firstHint, other }: LineSetting,
  { keyboard, screen, terminal }: LineDeps,
  signal: AbortSignal,
): Promise<PersonReply> {
  return new Promise((resolve) => {
    let draft = toLineDraft(initial);
    let hint = firstHint;
    const painted = screen.paint(label, "cyan");
    const draw = () =>
      screen.show("person", (columns) => {
        const hints = hint === undefined ? [] : foldHint(hint, columns - 1);
        const rows = Math.max(1, terminal.rows() - 2 - Math.max(1, hints.length));
        const input = drawInput(draft, { label, painted, columns, rows });
        return { ...input, rows: [...input.rows, ...hints.map((row) => screen.paint(row, "dim"))] };
      });
    const finish = (said: PersonReply) => {
      stopReading();
      signal.removeEventListener("abort", withdraw);
      screen.show("person", undefined);
      resolve(said);
    };
    const withdraw = () => finish({ kind: "silent", why: "withdrawn" });
    const line: OpenLine = {
      draft: () => draft,
      hint: () => hint,
      become(changed, shown) {
        draft = changed;
        hint = shown;
        draw();
      },
      finish,
    };
    const waiting: Key[] = [];
    let isBusy = false;
    const wait = async (work: Promise<void>) => {
      isBusy = true;
      await work.catch(() => undefined);
      isBusy = false;
      for (const key of waiting.splice(0)) take(key);
    };
    const take = (key: Key) => {
      if (isBusy) return void waiting.push(key);
      const step = applyKey(draft, key);
      if (step.kind === "edited") line.become(step.draft);
      else if (step.kind === "wipe") screen.wipe();
      else if (step.kind === "submitted") finish({ kind: "said", text: textOf(draft) });
      else if (step.kind === "left") finish({ kind: "silent", why: "left" });
      else if (step.kind !== "ignored") {
        const work = other(line, step.kind);
        if (work !== undefined) void wait(work);
      }
    };
    const stopReading = keyboard.readEarlier(take);
    signal.addEventListener("abort", withdraw);
    draw();
    if (signal.aborted) withdraw();
  });
}

const MOST_HINT_ROWS = 4;
const GAP = "  ";

/** What is below the line, over a few rows at most: its parts stay whole, and what is left out is marked. */
export function foldHint(hint: string, room: number): readonly string[] {
  const rows: string[] = [];
  for (const part of hint.split(GAP)) {
    const longer = `${rows.at(-1) ?? ""}${GAP}${part}`;
    if (rows.length > 0 && (rows.length === MOST_HINT_ROWS || textWidth(longer) <= room))
      rows[rows.length - 1] = longer;
    else rows.push(part);
  }
  return rows.map((row) => cutToWidth(row, room));
}
