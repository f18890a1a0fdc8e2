import { describe, expect, it } from "vitest";
import { parseConfig } from "./parse-config.ts";

/** The same numbers on every run, so that a failure can be reproduced. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const PIECES = [
  ..."{}[]:,-?&*!|>'\"%@`#\\\t\n$~".split(""),
  ...["\n  ", "\n    ", "- ", ": ", "servers", "toolbox", "mcpServers", "myai", "tools", "mcp_servers", "mcps", "name"],
  ...[
    "url",
    "command",
    "args",
    "env",
    "mode",
    "timeout",
    "PT30S",
    "dynamic",
    "http://x",
    "${A}",
    "${",
    "$${",
    "}",
    "*a",
    "&a ",
  ],
  ...[
    "__proto__",
    "constructor",
    "toString",
    "null",
    "true",
    "1e999",
    "0x1F",
    "<<",
    "\u0000",
    "\ud800",
    "\u2028",
    "--- ",
    "...",
  ],
];

describe("parseConfig", () => {
  it("never throws, whatever the text", () => {
    const random = createRandom(42);
    const pick = () => PIECES[Math.floor(random() * PIECES.length)] ?? "";
    for (let round = 0; round < 600; round += 1) {
      const text = Array.from({ length: Math.floor(random() * 40) }, pick).join("");
      for (const file of ["t.yaml", "t.json"]) {
        const parsed = parseConfig(text, { file, env: { A: "x" } });
        if (parsed.kind === "invalid") expect(parsed.problems.length, JSON.stringify(text)).toBeGreaterThan(0);
      }
    }
  });

  it("never throws on a map with any value anywhere", () => {
    const values = [
      "null",
      "1",
      "-1",
      "text",
      "[]",
      "[1]",
      "{}",
      "{a: 1}",
      "[[]]",
      "true",
      "'${A}'",
      "{type: bearer}",
      "{name: [x]}",
    ];
    const keys = [
      "command",
      "url",
      "transport",
      "authentication",
      "env",
      "headers",
      "args",
      "timeout",
      "rate",
      "mode",
      "type",
      "disabled",
    ];
    for (const key of keys) {
      for (const value of values) {
        for (const text of [
          `servers: {a: {${key}: ${value}}}`,
          `mcpServers: {a: {${key}: ${value}}}`,
          `tools: {mcp_servers: {a: {${key}: ${value}}}}`,
          `myai: {toolbox: {mcps: [{name: a, ${key}: ${value}}, ${value}]}}`,
          `servers: ${value}`,
          `mcpServers: ${value}`,
          `context_servers: {a: ${value}}`,
          `tools: {mcp_servers: ${value}}`,
          `myai: {toolbox: ${value}}`,
          `myai: {toolbox: {mcps: ${value}, tools: ${value}, local: ${value}}}`,
          `toolbox: {tools: ${value}, local: ${value}, max_wait: ${value}}`,
          `models: ${value}`,
        ]) {
          const parsed = parseConfig(text, { file: "t.yaml", env: { A: "x" } });
          if (parsed.kind === "invalid") expect(parsed.problems.length, text).toBeGreaterThan(0);
        }
      }
    }
  });

  it("finishes quickly on a large file full of problems", () => {
    const tools = Array.from({ length: 5_000 }, (_, index) => `{name: t${index}, server: s${index}, x: 1}`).join(",");
    const parsed = parseConfig(`toolbox: {tools: [${tools}]}`, { file: "t.yaml", env: {} });
    expect(parsed.kind === "invalid" && parsed.problems.length).toBe(1_000);
  });
});
