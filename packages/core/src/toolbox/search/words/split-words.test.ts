import { describe, expect, it } from "vitest";
import { splitWords } from "./split-words.ts";

describe("splitWords", () => {
  it.each([
    ["list_open-issues.v2", ["list", "open", "issues", "v", "2"]],
    ["listOpenIssues", ["list", "open", "issues"]],
    ["HTTPServerError", ["http", "server", "error"]],
    ["GitHub and YouTube", ["git", "hub", "github", "tube", "youtube"]],
    ["Please give me the weather", ["weather"]],
    ["Bob's files aren’t there, I'd say they've moved; don't can't won't", ["bob", "files", "say", "moved"]],
    ["rock'n'roll 'show'", ["rock", "n", "roll", "show"]],
    ["Café Zürich naïve", ["cafe", "zurich", "naive"]],
    ["погода в Москве", ["погода", "в", "москве"]],
    ["查询天气预报", ["查询", "天气", "预报"]],
    ["東京の天気を調べる", ["東京", "の", "天気", "を", "調べる"]],
    ["用GitHub搜索", ["用", "git", "hub", "github", "搜索"]],
    ["", []],
    ["!?… —", []],
  ])("splits %j", (text, words) => {
    expect(splitWords(text, 1_000)).toEqual(words);
  });

  it("ignores joiners, bidi controls and other invisible characters", () => {
    expect(splitWords("de\u200blete\u202e fi\u00adles\u0000now", 1_000)).toEqual(["delete", "files", "now"]);
  });

  it("reads no further than the given length", () => {
    expect(splitWords(`${"word ".repeat(100_000)}`, 20)).toEqual(["word", "word", "word", "word"]);
  });

  it("reads less of scripts without spaces, which are denser, and of characters that expand to many", () => {
    expect(splitWords("天气".repeat(100_000), 40)).toEqual(["天气", "天气", "天气", "天气", "天气"]);
    expect(splitWords(`${"天气".repeat(100)} forecast`, 400)).toContain("forecast");
    expect(splitWords("\ufdfa".repeat(1_000), 18).join(" ")).toHaveLength(18);
  });
});
