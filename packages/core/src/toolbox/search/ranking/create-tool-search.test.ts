import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../../json/json.ts";
import type { SearchableTool, ToolSearch } from "../tool-search.ts";
import { createToolSearch } from "./create-tool-search.ts";

const TOOLS: readonly SearchableTool[] = [
  tool("github", "create_issue", "Opens an issue in a repository", ["owner", "repo", "title", "body"]),
  tool("github", "listPullRequests", "Lists the pull requests of a repository", ["owner", "repo", "state"]),
  tool("github", "search_code", "Searches code on GitHub", ["query"]),
  tool("files", "read_file", "Reads the whole content of a file", ["path"]),
  tool("files", "write_file", "Writes text to a file", ["path", "content"]),
  tool("files", "delete_file", "Removes a file for ever", ["path"]),
  tool("weather", "get_forecast", "Weather forecast for the coming days", ["city", "days"]),
  tool("mail", "send_email", "Sends a message to one or more people", ["to", "subject", "body"]),
  tool("mail", "search", "Searches the inbox", ["query"]),
  tool("wetter", "查询天气", "查询指定城市的天气预报", ["城市"]),
];

describe("search for tools", () => {
  const search = searchOver(TOOLS);

  it.each([
    ["open a new bug in the repo", "github/create_issue"],
    ["what pull requests are there?", "github/listPullRequests"],
    ["erase a document", "files/delete_file"],
    ["will it rain tomorrow", "weather/get_forecast"],
    ["mail this to Anna", "mail/send_email"],
    ["forecasts for a city", "weather/get_forecast"],
    ["北京的天气", "wetter/查询天气"],
  ])("for %j, finds the tool %s", (query, id) => {
    expect(idsOf(search, query)[0]).toBe(id);
  });

  it("puts a tool the query names first, with or without its server, however it is written", () => {
    const firsts = [
      "read_file",
      "readFile",
      "read file",
      "files/read_file",
      "files__read_file",
      "files.readFile",
      "use read_file to send an email about the weather forecast",
    ];
    expect(firsts.map((query) => search.search(query, { limit: 1 })[0])).toMatchObject(
      firsts.map(() => ({ id: "files/read_file", score: 1, why: { named: true } })),
    );
    expect(idsOf(search, "mail/search")[0]).toBe("mail/search");
    expect(idsOf(search, "the weather, as /files/read_file, says")[0]).toBe("files/read_file");
    expect(search.search("gitlab/read_file", { limit: 1 })[0]?.why.named).toBe(false);
  });

  it("forgives one typo", () => {
    const slips = ["forcast", "forecsat", "foreccast", "forevast"];
    expect(slips.map((query) => search.search(query, { limit: 1 })[0])).toMatchObject(
      slips.map((asked) => ({
        id: "weather/get_forecast",
        why: { words: [{ asked, found: "forecast", how: "typo" }] },
      })),
    );
  });

  it("forgives a typo in the plural of a short word, too", () => {
    expect(idsOf(searchOver([tool("mail", "list_labels", "", [])]), "labls")).toEqual(["mail/list_labels"]);
  });

  it("forgives a different ending in languages it does not stem", () => {
    const others = searchOver([
      tool("x", "pogoda", "Прогноз: погода на завтра", []),
      tool("x", "wetter", "Zeigt Termine", []),
    ]);
    expect([idsOf(others, "покажи погоду"), idsOf(others, "welcher Termin")]).toEqual([["x/pogoda"], ["x/wetter"]]);
  });

  it("finds a word written as two", () => {
    const others = [tool("docs", "fulltext_search", "", []), tool("docs", "text_search", "", [])];
    expect(idsOf(searchOver(others), "full text search")[0]).toBe("docs/fulltext_search");
  });

  it("explains a match: which words, how they were found and where", () => {
    const [match] = search.search("erase files", { limit: 1 });
    expect(match?.why.words).toEqual([
      { asked: "files", found: "file", how: "same", fields: ["name", "description"] },
      { asked: "erase", found: "delete", how: "synonym", fields: ["name"] },
    ]);
    expect(match?.why.named).toBe(false);
    expect(match?.why.server).toBeGreaterThan(0);
  });

  it("gives scores between 0 and 1 that fall along the list", () => {
    const scores = search.search("search the code of a repository", { limit: 5 }).map(({ score }) => score);
    expect(scores.length).toBeGreaterThan(1);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
  });

  it("scores a tool that answers the whole query higher than one that answers a part", () => {
    const whole = search.search("weather forecast days", { limit: 1 })[0]?.score ?? 0;
    const part = search.search("weather on Neptune for astronauts with umbrellas", { limit: 1 })[0]?.score ?? 0;
    expect(whole).toBeGreaterThan(part * 2);
  });

  it("finds nothing if no word fits, and nothing for an empty query", () => {
    expect(["quantum chromodynamics", "", "   ", "please", "?!"].map((query) => idsOf(search, query))).toEqual([
      [],
      [],
      [],
      [],
      [],
    ]);
  });

  it("respects the limit and the tools it may choose among", () => {
    expect(search.search("file", { limit: 2 })).toHaveLength(2);
    expect(search.search("file", { limit: 0 })).toEqual([]);
    const among = (id: string) => !id.startsWith("files/");
    expect(search.search("read_file", { limit: 10, among }).map(({ id }) => id)).not.toContain("files/read_file");
  });

  it("splits a long request, so that each tool is compared with the part that asks for it", () => {
    const query = `We have been thinking about the history of our little town and its railway station for weeks now.
      Tell me whether it will rain in the next days. Then send a mail to the club with what you know about it.
      Also consider that the town hall is closed, that the museum starts late and that nobody has the key.`;
    expect(idsOf(search, query).slice(0, 2).sort()).toEqual(["mail/send_email", "weather/get_forecast"]);
  });
});

describe("a catalog that changes", () => {
  it("finds a tool by its current definition only", () => {
    const search = searchOver(TOOLS);
    search.set("files/read_file", tool("files", "open_document", "Opens a parchment", []));
    expect(idsOf(search, "content")).not.toContain("files/read_file");
    expect(idsOf(search, "parchment")).toEqual(["files/read_file"]);
    search.remove("files/read_file");
    search.remove("files/never_there");
    expect(idsOf(search, "parchment")).toEqual([]);
  });

  it("answers like a freshly built search, whatever was added and removed", () => {
    const changed = searchOver(TOOLS);
    for (let round = 0; round < 100; round += 1)
      for (const one of TOOLS) {
        const id = idOf(one);
        if (round % 7 === 3) changed.remove(id);
        changed.set(id, round % 5 === 2 ? { ...one, description: `version ${round} word${round}` } : one);
      }
    for (const one of TOOLS) changed.set(idOf(one), one);
    const fresh = searchOver(TOOLS);
    for (const query of ["open a bug", "search", "files", "read_file", "forcast", "send a mail about the weather"])
      expect(changed.search(query, { limit: 10 })).toEqual(fresh.search(query, { limit: 10 }));
  });
});

describe("hostile definitions", () => {
  it("reads only the beginning of a description of 100 KB", () => {
    const search = searchOver(TOOLS);
    search.set("x/long", tool("x", "long", `${"lorem ipsum dolor ".repeat(6_000)} parchment`, []));
    expect(idsOf(search, "parchment")).toEqual([]);
    expect(idsOf(search, "ipsum")).toEqual(["x/long"]);
    expect(idsOf(search, "forecast")[0]).toBe("weather/get_forecast");
  });

  it("does not let a word repeated a thousand times win over the right tool", () => {
    const search = searchOver(TOOLS);
    search.set("x/spam", tool("x", "spam", "forecast ".repeat(1_000), []));
    expect(idsOf(search, "weather forecast")[0]).toBe("weather/get_forecast");
  });

  it("finds tools among control and bidi characters, and names without any letter", () => {
    const search = searchOver([
      tool("a\u0000b", "\u202eread\u0007_\u200bnotes", "\u001b[31mReads\u001b[0m no\u200dtes", []),
      tool("c", "🔥🔥", "", []),
    ]);
    expect(idsOf(search, "read notes")).toEqual(["a\u0000b/\u202eread\u0007_\u200bnotes"]);
    expect(idsOf(search, "🔥🔥")).toEqual([]);
  });

  it("takes schemas of any shape", () => {
    const schemas: JsonSchema[] = [
      { properties: [1, 2] },
      { properties: { a: null, b: true, c: { enum: [null, 1, "blue"] } } },
      nested(200),
      { properties: Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`p${at}`, { description: "deep" }])) },
    ];
    const search = createToolSearch();
    for (const [at, inputSchema] of schemas.entries())
      search.set(`s/${at}`, { server: "s", name: `tool${at}`, description: "", inputSchema });
    expect(idsOf(search, "blue")).toEqual(["s/1"]);
  });

  it("keeps the order of ten thousand identical tools, and survives their removal", () => {
    const search = createToolSearch();
    const same = tool("s", "same", "The same as all the others", ["path"]);
    for (let at = 0; at < 10_000; at += 1) search.set(`s/${at}`, same);
    expect(idsOf(search, "same others")).toEqual(Array.from({ length: 10 }, (_, at) => `s/${at}`));
    expect(idsOf(search, "same")).toEqual(Array.from({ length: 10 }, (_, at) => `s/${at}`));
    for (let at = 0; at < 9_995; at += 1) search.remove(`s/${at}`);
    expect(idsOf(search, "same")).toEqual(["s/9995", "s/9996", "s/9997", "s/9998", "s/9999"]);
  });

  it("reads queries of any length", () => {
    const search = searchOver(TOOLS);
    expect(idsOf(search, `forecast ${"a_b/".repeat(50_000)}`)[0]).toBe("weather/get_forecast");
    expect(idsOf(search, "forecast. ".repeat(50_000))[0]).toBe("weather/get_forecast");
    // With a backtracking pattern, these would take minutes.
    for (const one of ["x", "天", "-", " "])
      for (let round = 0; round < 25; round += 1)
        expect(idsOf(search, `forecast ${one.repeat(20_000)}`)[0]).toBe("weather/get_forecast");
  });
});

function searchOver(tools: readonly SearchableTool[]): ToolSearch {
  const search = createToolSearch();
  for (const one of tools) search.set(idOf(one), one);
  return search;
}

function idsOf(search: ToolSearch, query: string): readonly string[] {
  return search.search(query, { limit: 10 }).map(({ id }) => id);
}

function idOf({ server, name }: SearchableTool): string {
  return `${server}/${name}`;
}

function tool(server: string, name: string, description: string, parameters: readonly string[]): SearchableTool {
  const properties = Object.fromEntries(parameters.map((parameter) => [parameter, { type: "string" }]));
  return { server, name, description, inputSchema: { type: "object", properties } };
}

function nested(depth: number): JsonSchema {
  return depth === 0 ? {} : { properties: { inner: nested(depth - 1) } };
}
