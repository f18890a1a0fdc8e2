// @ts-check
// npm run picture: plays the first minute on a real pseudo-terminal and saves the screen as docs/first-minute.svg.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
// biome-ignore lint/correctness/useImportExtensions: its types are beside it in a file with another extension
import { createVirtualTerminal } from "../tests/support/virtual-terminal.mjs";
import { ensureInstalled } from "./install.mjs";
import { ensureBuilt } from "./prepare.mjs";
import { exitWith, root } from "./run.mjs";

const COLUMNS = 80;
const ROWS = 34;
/** The text to wait for, and the keys to type then. */
const STEPS = [
  { sees: "14 tools", types: "read the file packing-list.md\r" },
  { sees: "because", types: "y" },
  { sees: "small net", types: "" },
  { sees: "› ", types: "" },
];

const CHARACTER_WIDTH = 8.4;
const LINE_HEIGHT = 18;
const MARGIN = 16;
/** The CSS for each terminal colour code, on a dark background. */
const LOOKS = /** @type {Record<number, string>} */ ({
  1: 'font-weight="bold"',
  2: 'fill="#8b949e"',
  3: 'font-style="italic"',
  31: 'fill="#ff7b72"',
  32: 'fill="#7ee787"',
  33: 'fill="#e3b341"',
  36: 'fill="#79c0ff"',
});

await exitWith(async () => {
  await ensureInstalled();
  await ensureBuilt();
  const home = mkdtempSync(join(tmpdir(), "tacklebox-picture-"));
  try {
    // The first chat lists every tool of the servers, which is more than a picture holds.
    await play(home);
    const output = await play(home);
    const terminal = createVirtualTerminal({ columns: COLUMNS, rows: ROWS });
    terminal.feed(output);
    writeFileSync(join(root, "docs/first-minute.svg"), toSvg(terminal.cells()));
    return 0;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

/**
 * @param {string} home
 * @returns {Promise<string>} everything the terminal was sent up to the last step
 */
function play(home) {
  const program = `stty cols ${COLUMNS} rows ${ROWS}; exec node apps/tacklebox/bin/tacklebox.js chat --config examples/quickstart.yaml`;
  const child = spawn("script", ["-qfec", program, "/dev/null"], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: home, TERM: "xterm", SHELL: "/bin/sh" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const steps = [...STEPS];
  let output = "";
  let seen = 0;
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => reject(new Error(`The chat ended before its time:\n${output}`)));
    child.stdout.setEncoding("utf8").on("data", (text) => {
      output += text;
      for (let step = steps[0]; step !== undefined; step = steps[0]) {
        const at = output.indexOf(step.sees, seen);
        if (at === -1) return;
        seen = at + step.sees.length;
        steps.shift();
        child.stdin.write(step.types);
      }
      child.removeAllListeners("close");
      child.kill("SIGTERM");
      resolve(output);
    });
  });
}

/** @param {readonly (readonly import("../tests/support/virtual-terminal.d.mts").Cell[])[]} lines */
function toSvg(lines) {
  const width = COLUMNS * CHARACTER_WIDTH + 2 * MARGIN;
  const height = lines.length * LINE_HEIGHT + 2 * MARGIN;
  const texts = lines.map((line, index) => {
    const y = MARGIN + (index + 0.75) * LINE_HEIGHT;
    return `<text x="${MARGIN}" y="${y}">${runsOf(line).map(toSpan).join("")}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A chat: a prompt, the call it leads to, the question whether to allow it, and the result">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#e6edf3">
${texts.join("\n")}
</g>
</svg>
`;
}

/**
 * Groups neighbouring characters of the same style.
 *
 * @param {readonly { text: string, style: readonly number[] }[]} line
 */
function runsOf(line) {
  /** @type {{ text: string, style: readonly number[] }[]} */
  const runs = [];
  for (const { text, style } of line) {
    const last = runs.at(-1);
    if (last !== undefined && last.style.join() === style.join()) last.text += text;
    else runs.push({ text, style });
  }
  return runs;
}

/** @param {{ text: string, style: readonly number[] }} run */
function toSpan({ text, style }) {
  // Browsers drop leading spaces and collapse the others.
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(" ", "\u00a0");
  const looks = style.flatMap((code) => LOOKS[code] ?? []);
  return looks.length === 0 ? escaped : `<tspan ${looks.join(" ")}>${escaped}</tspan>`;
}
