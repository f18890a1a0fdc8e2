import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";

const bench = resolve(import.meta.dirname, "../../bench");
const load = (path: string) => import(pathToFileURL(join(bench, path)).href);

describe("the bench's arithmetic", () => {
  it("takes the middle of the values, whatever their order", async () => {
    const { median, quantile } = await load("report/arithmetic.mjs");
    expect([median([9, 1, 10]), median([4, 1, 3, 2]), quantile([4, 3, 2, 1, 0], 0.75)]).toEqual([9, 2.5, 3]);
    expect(() => median([])).toThrow("no median of nothing");
  });

  it("compares round by round, so that one slow round of both sides changes nothing", async () => {
    const { ratios } = await load("report/arithmetic.mjs");
    expect(ratios([20, 200, 22], [10, 100, 11])).toEqual([2, 2, 2]);
    expect(() => ratios([1, 2], [1])).toThrow("2 rounds cannot be paired with 1");
  });

  it("judges by the bound, and names the aim only when that is met too", async () => {
    const { verdict } = await load("report/arithmetic.mjs");
    const atMost = { is: "at most", bound: 1.5, aim: 1 };
    const atLeast = { is: "at least", bound: 0.6 };
    const below = { is: "below", bound: 2 };
    const judged = [verdict([1], atMost), verdict([1.5], atMost), verdict([1.51], atMost)];
    expect(judged).toEqual(["aim met", "met", "missed"]);
    expect([verdict([0.6], atLeast), verdict([0.59], atLeast)]).toEqual(["met", "missed"]);
    expect([verdict([1.99], below), verdict([2], below)]).toEqual(["met", "missed"]);
  });

  it("calls a target neither met nor missed when rounds fall on both sides of it", async () => {
    const { verdict } = await load("report/arithmetic.mjs");
    expect(verdict([0.9, 1, 9], { is: "at most", bound: 2 })).toBe("unclear");
  });
});

describe("the bench's table", () => {
  const target = { is: "at most", bound: 1 };
  const rows = [
    { what: "a", ours: "12 µs", reference: "10 µs raw", values: [1.3, 1.1, 1.2], unit: "x", target },
    { what: "b|c", ours: "1", reference: "", values: [], unit: "" },
  ];

  it("shows figure, target and verdict where there is a target", async () => {
    const { toCells } = await load("report/table.mjs");
    expect(toCells(rows).slice(1)).toEqual([
      ["a", "12 µs", "10 µs raw", "1.20 x (1.10 to 1.30)", "<= 1.00 x", "missed"],
      ["b|c", "1", "", "", "", ""],
    ]);
  });

  it("is aligned as text and whole as Markdown", async () => {
    const { toCells, toMarkdown, toText } = await load("report/table.mjs");
    const cells = toCells(rows);
    expect(toText(cells).split("\n")[1]).toBe("a     12 µs  10 µs raw      1.20 x (1.10 to 1.30)  <= 1.00 x  missed");
    expect(toMarkdown(cells).split("\n").slice(-2)).toEqual([
      "| a | 12 µs | 10 µs raw | 1.20 x (1.10 to 1.30) | <= 1.00 x | missed |",
      "| b\\|c | 1 |  |  |  |  |",
    ]);
  });
});

describe("the bench's command", () => {
  it("loads, and names its parts when asked for an unknown one", () => {
    const { status, stderr } = spawnSync(process.execPath, [join(bench, "bench.mjs"), "speed"], { encoding: "utf8" });
    expect([status, stderr]).toEqual([
      1,
      "No part 'speed'. Parts: stdio, http, disk, ready, named, catalog, start, runs, chat, acp, search, tokens, peers\n",
    ]);
  });

  it("has a loadable module behind every part", async () => {
    const parts = readdirSync(join(bench, "parts")).filter((file) => file !== "part.mjs");
    const loaded = await Promise.all(parts.map((file) => load(join("parts", file))));
    expect(loaded.map((part) => typeof part.run)).toEqual(parts.map(() => "function"));
  });
});

describe("the bench's engine", () => {
  it("accepts tool lists with nothing but ids, and any query", async () => {
    const { build } = await load("search/engine.mjs");
    const nothing = { server: null, name: null, title: null, description: null, inputSchema: null };
    const engine = build([
      { id: "a", ...nothing },
      { id: "b" },
      { id: "c", name: "read_file" },
      { id: "d", name: "写文件" },
    ]);
    expect([
      engine.search("read a file", 99),
      engine.search("文件"),
      engine.search(""),
      engine.search(undefined),
    ]).toEqual([["c"], ["d"], [], []]);
    expect(build([]).search("file", 5)).toEqual([]);
  });
});
