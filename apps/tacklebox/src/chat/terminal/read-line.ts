import type { Terminal } from "../../io.ts";
import { cutToWidth, textWidth } from "../../output/text-width.ts";
import type { PersonReply } from "../person.ts";
import { drawInput } from "./draw-input.ts";
import type { Key, Keyboard } from "./keyboard.ts";
import { applyKey, type EditStep, type LineDraft, textOf, toLineDraft } from "./line-editor.ts";
import type { Screen } from "./screen.ts";

/** The line being typed. */
export interface OpenLine {
  draft(): LineDraft;
  /** The text below the line, if any; the next key removes it. */
  hint(): string | undefined;
  become(draft: LineDraft, hint?: string): void;
  finish(reply: PersonReply): void;
}

/** Steps that the line does not handle itself: history, completion, Ctrl-C. */
export type OtherStep = Extract<EditStep["kind"], "older" | "newer" | "complete" | "interrupted">;

export interface LineOptions {
  readonly label: string;
  readonly initial: string;
  /** Shown below the line until the first key. */
  readonly hint?: string;
  /** Handles a step. Keys wait until its promise settles, so that text typed after Tab follows what Tab inserts. */
  readonly other: (line: OpenLine, step: OtherStep) => Promise<void> | undefined;
}

export interface LineDeps {
  readonly keyboard: Keyboard;
  readonly screen: Screen;
  readonly terminal: Pick<Terminal, "rows">;
}

/** Reads a line at the bottom of the screen until it is finished by Enter, Ctrl-D or `other`. */
export function readLine(
  { label, initial, hint: firstHint, other }: LineOptions,
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
    const finish = (reply: PersonReply) => {
      stopReading();
      signal.removeEventListener("abort", giveUp);
      screen.show("person", undefined);
      resolve(reply);
    };
    const giveUp = () => finish({ kind: "none", why: "withdrawn" });
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
      else if (step.kind === "submitted") finish({ kind: "text", text: textOf(draft) });
      else if (step.kind === "left") finish({ kind: "none", why: "left" });
      else if (step.kind !== "ignored") {
        const work = other(line, step.kind);
        if (work !== undefined) void wait(work);
      }
    };
    const stopReading = keyboard.readWithTypeAhead(take);
    signal.addEventListener("abort", giveUp);
    draw();
    if (signal.aborted) giveUp();
  });
}

const MAX_HINT_ROWS = 4;
const GAP = "  ";

/** Folds a hint into a few rows, breaking between its parts. Marks what is cut off. */
export function foldHint(hint: string, room: number): readonly string[] {
  const rows: string[] = [];
  for (const part of hint.split(GAP)) {
    const longer = `${rows.at(-1) ?? ""}${GAP}${part}`;
    if (rows.length > 0 && (rows.length === MAX_HINT_ROWS || textWidth(longer) <= room)) rows[rows.length - 1] = longer;
    else rows.push(part);
  }
  return rows.map((row) => cutToWidth(row, room));
}
