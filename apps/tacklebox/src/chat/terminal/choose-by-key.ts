import { textWidth } from "../../output/text-width.ts";
import type { Choice, Chosen, NoReply } from "../person.ts";
import type { Key } from "./keyboard.ts";
import type { LineDeps } from "./read-line.ts";
import type { Screen } from "./screen.ts";

/**
 * Waits for one of the keys. If the person was typing when the question appeared, they must press Enter first, so that
 * a stray key does not count as an answer.
 */
export function chooseByKey(
  choices: readonly Choice[],
  { keyboard, screen }: Pick<LineDeps, "keyboard" | "screen">,
  signal: AbortSignal,
): Promise<Chosen> {
  return new Promise((resolve) => {
    let isTyping = keyboard.hasTypeAhead();
    const draw = () =>
      screen.show("person", (columns) => ({
        rows: isTyping
          ? foldWords(["You were typing: that is kept for later.", "Press Enter, then answer."], columns)
          : drawChoices(choices, screen, columns),
      }));
    const finish = (chosen: Chosen) => {
      stopReading();
      signal.removeEventListener("abort", giveUp);
      screen.show("person", undefined);
      resolve(chosen);
    };
    const endWithoutReply = (why: NoReply) => finish({ kind: "none", why });
    const giveUp = () => endWithoutReply("withdrawn");
    const take = ({ name, text, ctrl }: Key) => {
      if (ctrl && name === "c") return endWithoutReply("interrupted");
      if (ctrl && name === "d") return endWithoutReply("left");
      if (isTyping) {
        isTyping = name !== "return";
        return draw();
      }
      const chosen = choices.find(({ key }) => key === text.toLowerCase());
      if (chosen !== undefined) finish({ kind: "chosen", key: chosen.key });
    };
    const stopReading = keyboard.read(take);
    signal.addEventListener("abort", giveUp);
    draw();
    if (signal.aborted) giveUp();
  });
}

function drawChoices(choices: readonly Choice[], { paint }: Screen, columns: number): readonly string[] {
  const shown = choices.map(({ key, label }) => ({ width: textWidth(key) + 1 + textWidth(label), key, label }));
  const rows: string[] = [];
  let row = "";
  let width = 0;
  for (const one of shown) {
    const text = `${paint(one.key, "cyan")} ${one.label}`;
    const isFull = width > 0 && width + GAP.length + one.width > columns - 1;
    if (isFull) rows.push(row);
    row = isFull || width === 0 ? text : row + GAP + text;
    width = isFull || width === 0 ? one.width : width + GAP.length + one.width;
  }
  return [...rows, row];
}

const GAP = "   ";

function foldWords(sentences: readonly string[], columns: number): readonly string[] {
  const whole = sentences.join(" ");
  return textWidth(whole) < columns ? [whole] : sentences;
}
