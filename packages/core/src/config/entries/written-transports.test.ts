import { describe, expect, it } from "vitest";
import { type Notation, spellings, transportNameIn, transportNames } from "./written-transports.ts";

describe("the transports of written servers", () => {
  it.each<[Notation, readonly string[]]>([
    ["toolbox", ["streamable_http", "sse"]],
    ["gateway", ["stdio", "http"]],
    ["acp", ["stdio", "http", "sse"]],
    ["app", ["stdio", "http", "sse"]],
  ])("are called in %s: %j", (notation, names) => {
    expect(transportNames(notation)).toEqual(names);
  });

  it("all have a name in native files", () => {
    expect(transportNames("native")).toEqual([...new Set(spellings("native").values())]);
    expect(transportNames("native")).toEqual(expect.arrayContaining(["stdio", "http", "streamable-http", "sse"]));
  });

  it("have other spellings that are accepted", () => {
    const streamable = ["streamable-http", "streamable_http", "streamableHttp"];
    for (const notation of ["native", "mcp-servers", "toolbox"] as const)
      expect(streamable.map((name) => spellings(notation).get(name))).toEqual(streamable.map(() => "streamable-http"));
    expect(spellings("gateway").get("streamable-http")).toBeUndefined();
    expect(spellings("native").get("local")).toBeUndefined();
  });

  it.each<[Notation, Readonly<Record<string, unknown>>, string | undefined]>([
    ["gateway", { command: "x" }, "stdio"],
    ["gateway", { url: "https://x" }, "http"],
    ["gateway", { url: "https://x", transport: "sse" }, undefined],
    ["toolbox", { url: "https://x" }, "streamable_http"],
    ["toolbox", { url: "https://x", transport: "sse" }, "sse"],
    ["toolbox", { command: "x" }, undefined],
    ["mcp-servers", { url: "https://x", transport: "streamable_http" }, "streamable-http"],
    ["native", { url: "https://x", transport: "carrier pigeon" }, undefined],
  ])("%s calls that of %j: %s", (notation, entry, name) => {
    expect(transportNameIn(notation, entry)).toBe(name);
  });
});
