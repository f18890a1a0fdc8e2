import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createStdioLog, type StdioLog } from "./stdio-log.ts";

let said: string[];
let log: StdioLog;

beforeEach(() => {
  vi.useFakeTimers();
  said = [];
  const redact = (text: string) => text.replaceAll("secret", "[redacted]");
  log = createStdioLog({ redact, onServerLog: (line) => void said.push(line) });
});

afterEach(() => void vi.useRealTimers());

function write(text: string): void {
  log.push(Buffer.from(text));
}

describe("passing on what a server writes for people", () => {
  it("hands on whole lines without secrets, no blank ones, and the unfinished one at the end", () => {
    write("a sec");
    write("ret\n\n  \nb\r\nunfin");
    expect(said).toEqual(["a [redacted]", "b"]);
    write("ished");
    log.end();
    log.end();
    expect(said).toEqual(["a [redacted]", "b", "unfinished"]);
  });

  it("says 200 lines a second, says what it left out, and goes on with the next whole line", () => {
    write(Array.from({ length: 300 }, (_, index) => `line ${index}\n`).join(""));
    write(`${"x".repeat(10_000)}\nhalf a `);
    log.line("from stdout");
    expect([said.length, said.at(-1)]).toEqual([200, "line 199"]);
    vi.advanceTimersByTime(1000);
    expect(said.slice(200)).toEqual(["The server writes too much: 11 KB were left out."]);
    write("line\nwhole\n");
    log.line("from stdout again");
    expect(said.slice(201)).toEqual(["whole", "from stdout again"]);
  });

  it("mentions at the end what it left out", () => {
    write("x\n".repeat(201));
    log.end();
    expect(said.at(-1)).toBe("The server writes too much: 1 KB were left out.");
  });

  it("leaves out a line over 64 KiB as a whole: a cut could show half a secret", () => {
    write(`${"secret".repeat(20_000)}\nnext\n`);
    expect(said).toEqual(["A line over 65536 bytes was left out.", "next"]);
  });
});
