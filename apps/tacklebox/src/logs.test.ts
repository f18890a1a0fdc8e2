import type { Logger } from "@tacklebox/core";
import { loggerContract } from "@tacklebox/core/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { LOG_FORMATS, type LogFormat } from "./command-options.ts";
import { collectWarnings, createLogger } from "./logs.ts";

const now = () => Date.UTC(2026, 0, 2, 3, 4, 5, 6);

function logged(format: LogFormat, level: "debug" | "warn" = "warn"): string[] {
  const lines: string[] = [];
  const redact = (text: string) => text.replaceAll("hunter2", "[redacted]");
  const logger = createLogger({
    format,
    level,
    write: (line) => lines.push(line),
    startProblems: "logged",
    redact,
    now,
  });
  logger.log("info", "quiet");
  logger.log("warn", "Tool 'a' uses hunter2", { server: "files", token: "hunter2" });
  return lines;
}

describe("logs", () => {
  it("are lines of level and text for people, secrets redacted", () => {
    expect(logged("text")).toEqual(["warn Tool 'a' uses [redacted]\n"]);
    expect(logged("text", "debug")).toEqual(["info quiet\n", "warn Tool 'a' uses [redacted]\n"]);
  });

  it("are JSON with level, time, the fields and msg for programs", () => {
    expect(logged("json")).toEqual([
      `{"level":"warn","time":"2026-01-02T03:04:05.006Z","server":"files","token":"[redacted]","msg":"Tool 'a' uses [redacted]"}\n`,
    ]);
    expect(logged("json", "debug")).toHaveLength(2);
  });

  it("are JSON whatever the fields hold, and no field replaces level, time or msg", () => {
    const lines: string[] = [];
    const write = (line: string) => lines.push(line);
    const logger = createLogger({
      format: "json",
      level: "debug",
      write,
      startProblems: "logged",
      redact: (text) => text,
      now,
    });
    logger.log("info", "a number", { count: 10n });
    logger.log("error", "a forgery", { level: "debug", time: "never", msg: "fine", call: "c1" });
    const time = "2026-01-02T03:04:05.006Z";
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      { level: "info", time, msg: "a number", fields: "[not JSON]" },
      { level: "error", time, msg: "a forgery", call: "c1" },
    ]);
  });

  it("T18 are one line of JSON without terminal escape sequences, whatever a server sends", () => {
    const lines: string[] = [];
    const write = (line: string) => lines.push(line);
    const logger = createLogger({
      format: "json",
      level: "debug",
      write,
      startProblems: "logged",
      redact: (text) => text,
      now,
    });
    logger.log("debug", 'files: \u009b2J\u001b[2J\r\n{"level":"error"}\u202e', { said: "\u001b[31m" });
    expect(lines).toHaveLength(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
    expect(lines[0]).toMatch(/^[^\u0000-\u001f\u007f-\u009f\u202e]*\n$/);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      msg: 'files: \u009b2J\u001b[2J\r\n{"level":"error"}\u202e',
      said: "\u001b[31m",
    });
  });

  it("T18 cannot be forged or coloured by what a server sends", () => {
    const lines: string[] = [];
    const logger = createLogger({
      startProblems: "left-out",
      format: "text",
      level: "debug",
      write: (line) => lines.push(line),
      redact: (text) => text,
      now,
    });
    logger.log("debug", "files: \u001b[2J\rerror fake");
    expect(lines).toEqual(["debug files: \\x1b[2J\\rerror fake\n"]);
  });

  it("S4.27 hold start problems at level error only if the command does not print them", () => {
    const lines: string[] = [];
    for (const startProblems of ["left-out", "logged"] as const) {
      const format = "json";
      const write = (line: string) => lines.push(line);
      const logger = createLogger({ format, level: "warn", write, startProblems, redact: (text) => text, now });
      logger.log("error", "cannot start", { startProblem: true });
    }
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "error", msg: "cannot start" });
  });

  it("pass their warnings on for reports", () => {
    const warnings: string[] = [];
    const logger = collectWarnings({ log: () => undefined }, (text) => warnings.push(text));
    logger.log("error", "a");
    logger.log("warn", "b");
    expect(warnings).toEqual(["b"]);
  });
});

describe.each(LOG_FORMATS)("logs as %s keep the logger contract", (format) => {
  let lines: string[];
  let logger: Logger;
  beforeEach(() => {
    lines = [];
    logger = createLogger({
      startProblems: "left-out",
      format,
      level: "warn",
      write: (line) => lines.push(line),
      redact: (text) => text,
      now,
    });
  });
  for (const { name, run } of loggerContract(() => ({ logger, written: () => lines.join("") }))) it(name, run);
});
