import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createStdioLog, type StdioLog } from "./stdio-log.ts";

let logged: string[];
let log: StdioLog;

beforeEach(() => {
  vi.useFakeTimers();
  logged = [];
  const redact = (text: string) => text.replaceAll("secret", "[redacted]");
  log = createStdioLog({ redact, onServerLog: (line) => void logged.push(line) });
});

afterEach(() => void vi.useRealTimers());

function write(text: string): void {
  log.push(Buffer.from(text));
}

describe("passing on a server's log", () => {
  it("passes on whole lines without secrets, skips blank ones, and passes on an unfinished last line", () => {
    write("a sec");
    write("ret\n\n  \nb\r\nunfin");
    expect(logged).toEqual(["a [redacted]", "b"]);
    write("ished");
    log.end();
    log.end();
    expect(logged).toEqual(["a [redacted]", "b", "unfinished"]);
  });

  it("passes on 200 lines a second, reports how much it left out, and continues with the next whole line", () => {
    write(Array.from({ length: 300 }, (_, index) => `line ${index}\n`).join(""));
    write(`${"x".repeat(10_000)}\nhalf a `);
    log.line("from stdout");
    expect([logged.length, logged.at(-1)]).toEqual([200, "line 199"]);
    vi.advanceTimersByTime(1000);
    expect(logged.slice(200)).toEqual(["The server writes too much: 11 KB were left out."]);
    write("line\nwhole\n");
    log.line("from stdout again");
    expect(logged.slice(201)).toEqual(["whole", "from stdout again"]);
  });

  it("reports at the end how much it left out", () => {
    write("x\n".repeat(201));
    log.end();
    expect(logged.at(-1)).toBe("The server writes too much: 1 KB were left out.");
  });

  it("leaves out a line over 64 KiB as a whole: a cut could show half a secret", () => {
    write(`${"secret".repeat(20_000)}\nnext\n`);
    expect(logged).toEqual(["A line over 65536 bytes was left out.", "next"]);
  });
});
