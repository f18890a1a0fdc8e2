// @ts-check
// A terminal that supports just what Tacklebox uses. It records what it does not know, so that tests can check.

/** @typedef {import("./virtual-terminal.d.mts").Cell} Cell */

const CONTROL = "\\u0000-\\u001f\\u007f-\\u009f";
const TOKEN = new RegExp(
  `\\u001b\\[(\\??[\\d;]*)([A-Za-z])|\\u001b\\][^\\u0007]*\\u0007|\\u001b.|[${CONTROL}]|[^${CONTROL}]+`,
  "gsu",
);
// Output may end in the middle of a sequence.
// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences are control characters
const HALF = /\u001b(?:\[[\d;?]*)?$/;
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\ufe0f/u;

/**
 * @param {{ columns: number, rows: number }} size
 * @returns {import("./virtual-terminal.d.mts").VirtualTerminal}
 */
export function createVirtualTerminal({ columns: width, rows }) {
  const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  /** @type {Cell[][]} */
  const lines = [[]];
  /** @type {string[]} */
  const unknown = [];
  /** @type {readonly number[]} */
  let style = [];
  let columns = width;
  let held = "";
  let row = 0;
  let column = 0;
  /** The first line on the screen; those before it have scrolled away. */
  let top = 0;

  function toRow(/** @type {number} */ target) {
    row = Math.max(top, target);
    while (lines.length <= row) lines.push([]);
    top = Math.max(top, row - rows + 1);
  }

  function put(/** @type {string} */ text) {
    for (const { segment } of segmenter.segment(text)) {
      const size = WIDE.test(segment) ? 2 : 1;
      if (column + size > columns) {
        toRow(row + 1);
        column = 0;
      }
      const line = lines[row] ?? [];
      while (line.length < column) line.push({ text: " ", style: [] });
      line[column] = { text: segment, style };
      if (size === 2) line[column + 1] = { text: "", style };
      column += size;
    }
  }

  function eraseBelow() {
    lines[row]?.splice(column);
    lines.splice(row + 1);
  }

  /** @type {Record<string, (parameters: readonly number[]) => void>} */
  const commands = {
    A: ([count = 1]) => toRow(row - count),
    C: ([count = 1]) => {
      column = Math.min(columns - 1, column + count);
    },
    H: () => {
      toRow(top);
      column = 0;
    },
    J: ([kind = 0]) => {
      if (kind === 0) return eraseBelow();
      // Clears the screen without keeping its content.
      lines.splice(top);
      toRow(row);
    },
    K: ([kind = 0]) => {
      lines[row]?.splice(kind === 2 ? 0 : column);
    },
    m: ([code = 0]) => {
      style = code === 0 ? [] : [...style, code];
    },
    // Bracketed paste on and off have no visible effect.
    h: () => undefined,
    l: () => undefined,
  };

  function execute(
    /** @type {string} */ token,
    /** @type {string} */ parameters,
    /** @type {string | undefined} */ letter,
  ) {
    if (token === "\n") {
      toRow(row + 1);
      column = 0;
    } else if (token === "\r") column = 0;
    else if (letter !== undefined && commands[letter] !== undefined) {
      const numbers = parameters === "" || parameters.startsWith("?") ? [] : parameters.split(";").map(Number);
      commands[letter]?.(numbers);
    } else if (/^\p{Cc}/u.test(token)) unknown.push(token);
    else put(token);
  }

  return {
    feed(output) {
      const text = held + output;
      held = HALF.exec(text)?.[0] ?? "";
      const whole = text.slice(0, text.length - held.length);
      for (const [token, parameters = "", letter] of whole.matchAll(TOKEN)) execute(token, parameters, letter);
    },
    // Like most terminals: wraps lines that no longer fit, and keeps the cursor at its character.
    resize(target) {
      columns = target;
      const before = lines.splice(0);
      for (const [index, line] of before.entries()) {
        const start = lines.length;
        do lines.push(line.splice(0, columns));
        while (line.length > 0);
        if (index !== row) continue;
        row = start + Math.floor(column / columns);
        column %= columns;
        break;
      }
      // Tacklebox has nothing below the cursor's line except rows that it redraws.
      top = Math.max(0, row - rows + 1);
    },
    lines: () =>
      lines.map((line) =>
        line
          .map(({ text }) => text)
          .join("")
          .trimEnd(),
      ),
    cells: () => lines,
    cursor: () => ({ row, column }),
    unknown: () => unknown,
  };
}
