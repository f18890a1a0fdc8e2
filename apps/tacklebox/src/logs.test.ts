import type { Logger } from "@tacklebox/core";
import { loggerContract } from "@tacklebox/core/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { LOG_FORMATS, type LogFormat } from "./command-options.ts";
import { collectWarnings, createLogger } from "./logs.ts";

async function logged(format: LogFormat, level: "debug" | "warn" = "warn"): Promise<string[]> {
  const lines: string[] = [];
  const redact = (text: string) => text.replaceAll("hunter2", "[redacted]");
  const logger = await createLogger({ format, level, write: (line) => lines.push(line), redact });
  logger.log("info", "quiet");
  logger.log("warn", "Tool 'a' uses hunter2", { server: "files", token: "hunter2" });
  return lines;
}

describe("logs", () => {
  it("are lines of level and text for people, secrets struck out", async () => {
    expect(await logged("text")).toEqual(["warn Tool 'a' uses [redacted]\n"]);
    expect(await logged("text", "debug")).toEqual(["info quiet\n", "warn Tool 'a' uses [redacted]\n"]);
  });

  it("are JSON with level, time, msg and the fields for programs", async () => {
    const lines = await logged("json");
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      {
        level: "warn",
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        msg: "Tool 'a' uses [redacted]",
        server: "files",
        token: "[redacted]",
      },
    ]);
  });

  it("T18 cannot be forged or coloured by what a server says", async () => {
    const lines: string[] = [];
    const logger = await createLogger({
      format: "text",
      level: "debug",
      write: (line) => lines.push(line),
      redact: (text) => text,
    });
    logger.log("debug", "files: \u001b[2J\rerror fake");
    expect(lines).toEqual(["debug files: \\x1b[2J\\rerror fake\n"]);
  });

  it("S4.27 leave start problems to the command for people and keep them at level error for programs", async () => {
    const lines: string[] = [];
    for (const format of ["text", "json"] as const) {
      const write = (line: string) => lines.push(line);
      const logger = await createLogger({ format, level: "warn", write, redact: (text) => text });
      logger.log("error", "cannot start", { startProblem: true });
    }
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "error", msg: "cannot start" });
  });

  it("tell their warnings to whoever reports them", async () => {
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
  beforeEach(async () => {
    lines = [];
    logger = await createLogger({
      format,
      level: "warn",
      write: (line) => lines.push(line),
      redact: (text) => text,
    });
  });
  for (const { name, run } of loggerContract(() => ({ logger, written: () => lines.join("") }))) it(name, run);
});
