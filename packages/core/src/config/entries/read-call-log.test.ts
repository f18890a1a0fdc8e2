import { describe, expect, it } from "vitest";
import { DEFAULT_CALL_LOG } from "../../domain/limits.ts";
import { parseConfig } from "../parse-config.ts";

function callsOf(text: string, env: Record<string, string> = {}) {
  const parsed = parseConfig(text, { file: "tacklebox.yaml", env });
  return parsed.kind === "ok" ? parsed.calls : parsed.problems.map(({ message }) => message);
}

const DAY = 24 * 60 * 60 * 1_000;

describe("the settings of the call log", () => {
  it("are read from native files and from toolbox files", () => {
    const calls =
      "calls: {keep: P400D, keep_at_most: 5, keep_bytes: 100000, keep_result_bytes: 2000, durability: normal}";
    const read = {
      keepMs: 400 * DAY,
      keepAtMost: 5,
      keepBytes: 100_000,
      keepResultBytes: 2_000,
      durability: "normal",
    };
    expect(callsOf(`servers: {}\n${calls}`)).toEqual(read);
    expect(callsOf(`myai: {toolbox: {}}\n${calls}`)).toEqual(read);
    expect(callsOf(calls)).toEqual(read);
  });

  it.each(["servers: {}", "servers: {}\ncalls:", "servers: {}\ncalls: {keep: }", "mcpServers: {}"])(
    "are the defaults where nothing is written: %j",
    (text) => {
      expect(callsOf(text)).toEqual(DEFAULT_CALL_LOG);
    },
  );

  it("accept variables and overrides", () => {
    const env = { KEEP: "P1D", TACKLEBOX__CALLS__DURABILITY: "normal" };
    expect(callsOf("servers: {}\ncalls: {keep: '${KEEP}'}", env)).toEqual({
      ...DEFAULT_CALL_LOG,
      keepMs: DAY,
      durability: "normal",
    });
  });

  it.each([
    ["calls: 7", "calls must be a map with keep, keep_at_most, keep_bytes, keep_result_bytes and durability"],
    [
      "calls: {keep: P200Y}",
      "keep must not use years or months, whose length varies: use days, hours, minutes or seconds",
    ],
    ["calls: {keep: P40000D}", "keep must be at most 36500 days"],
    ["calls: {keep: 0}", "keep must be longer than zero"],
    ["calls: {keep_at_most: 0}", "keep_at_most must be a whole number of at least 1"],
    ["calls: {keep_bytes: 1000}", "keep_bytes must be a whole number of at least 65536"],
    ["calls: {keep_result_bytes: 10}", "keep_result_bytes must be a whole number of at least 1024"],
    ["calls: {durability: perhaps}", "durability must be one of: full, normal"],
    ["calls: {keeps: P1D}", "Unknown key 'keeps'. Did you mean 'keep'?"],
  ])("are refused when wrong: %s", (text, problem) => {
    expect(callsOf(`servers: {}\n${text}`)).toEqual([problem]);
  });
});
