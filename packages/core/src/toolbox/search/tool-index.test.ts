import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createToolbox, type RegisteredTool } from "../../domain/tool.ts";
import type { LoadWordVectors } from "../../ports/load-word-vectors.ts";
import { createRecordingLogger } from "../../testing/recording-logger.ts";
import { createToolSearch } from "./ranking/create-tool-search.ts";
import { createToolIndex } from "./tool-index.ts";
import type { ToolSearch } from "./tool-search.ts";

function tool(name: string, scope: "agent" | "session" = "agent", description = ""): RegisteredTool {
  return {
    ref: { scope, server: "s", name },
    shownName: name,
    tool: { name, description, inputSchema: { type: "object" }, raw: {} },
    limits: { maxInstances: 1, timeoutMs: 1 },
    configuredBy: "default",
    include: "always",
  };
}

function toolboxOf(tools: readonly RegisteredTool[]) {
  return createToolbox(new Map(tools.map((one) => [one.shownName, one])), []);
}

/** An index that records the calls to its search; a tool's fingerprint is its description. */
function createIndex(
  tools: readonly RegisteredTool[],
  spoil: (search: ToolSearch) => Partial<ToolSearch> = () => ({}),
  loadVectors?: LoadWordVectors,
) {
  const calls: string[] = [];
  const logger = createRecordingLogger();
  let toolbox = toolboxOf(tools);
  const index = createToolIndex({
    async createSearch() {
      calls.push("created");
      const search = createToolSearch();
      return {
        ...search,
        set(id, one) {
          calls.push(`set ${one.name}`);
          search.set(id, one);
        },
        remove(id) {
          calls.push(`remove ${String(JSON.parse(id)[2])}`);
          search.remove(id);
        },
        ...spoil(search),
      };
    },
    toolbox: () => toolbox,
    fingerprintOf: ({ name }) => toolbox.tools.get(name)?.tool.description ?? "",
    loadVectors,
    logger,
  });
  return {
    calls,
    logger,
    become: (next: readonly RegisteredTool[]) => {
      toolbox = toolboxOf(next);
    },
    find: async (query: string, among = [...toolbox.tools.values()], limit = 9) =>
      (await index.search(query, among, limit)).map(({ tool: found }) => found.shownName),
  };
}

describe("the index of tools", () => {
  it("is built with the first search and afterwards updated only by the tools that changed", async () => {
    const first = [tool("read_file"), tool("write_file"), tool("send_mail")];
    const { calls, become, find } = createIndex(first);
    expect(calls).toEqual([]);
    expect(await find("mail")).toEqual(["send_mail"]);
    expect(calls.splice(0)).toEqual(["created", "set read_file", "set write_file", "set send_mail"]);
    await find("file");
    expect(calls).toEqual([]);
    become([tool("read_file"), tool("write_file", "agent", "Puts mail into a file"), tool("find_file")]);
    expect(await find("mail")).toEqual(["write_file"]);
    expect(calls).toEqual(["set write_file", "set find_file", "remove send_mail"]);
  });

  it("finds only the given tools, and no more than the limit", async () => {
    const tools = [tool("read_file"), tool("write_file"), tool("copy_file")];
    const { find } = createIndex(tools);
    expect(await find("file", tools.slice(1))).toEqual(["write_file", "copy_file"]);
    expect(await find("file", tools, 2)).toHaveLength(2);
  });

  it("reads the beginning of a prompt that holds a whole file", async () => {
    const { find } = createIndex([tool("read_file"), tool("send_mail")]);
    expect(await find(`send mail: ${"x ".repeat(100_000)} read file`)).toEqual(["send_mail"]);
  });

  it("S3.28 finds searchable tools of session servers, without keeping them", async () => {
    const { find, calls } = createIndex([tool("read_file")]);
    const own = tool("read_mail", "session");
    expect(await find("read mail", [tool("read_file"), own])).toEqual(["read_mail", "read_file"]);
    expect(await find("mail")).toEqual([]);
    expect(calls.filter((line) => line === "set read_mail")).toHaveLength(1);
  });

  it("C3.3 a search that fails logs a warning and finds nothing", async () => {
    const { find, logger } = createIndex([tool("read_file")], () => ({
      search() {
        throw new Error("out of memory");
      },
    }));
    expect(await find("file")).toEqual([]);
    expect(logger.lines.map(({ level, text }) => [level, text])).toEqual([
      ["warn", "Searching for tools failed, so none were found: out of memory"],
    ]);
  });

  it("loads the word vectors once, with the first search, and finds by meaning from then on", async () => {
    const bytes = readFileSync(new URL("../../../assets/word-vectors.bin", import.meta.url));
    let loads = 0;
    const load = async () => {
      loads += 1;
      return new Uint8Array(bytes);
    };
    const tools = [tool("physician"), tool("locomotive"), tool("orchestra")];
    const { find, logger } = createIndex(tools, undefined, load);
    expect(loads).toBe(0);
    expect(await Promise.all([find("surgeon"), find("symphony"), find("railway")])).toEqual([
      ["physician"],
      ["orchestra"],
      ["locomotive"],
    ]);
    expect(loads).toBe(1);
    expect(logger.lines).toEqual([]);
    expect(await createIndex(tools).find("surgeon")).toEqual([]);
  });

  it.each([
    ["cannot be read", () => Promise.reject(new Error("no such file"))],
    ["are something else", async () => new TextEncoder().encode("<html>")],
  ])("searches by words alone if the vectors %s, and logs it once", async (_case, load) => {
    const { find, logger } = createIndex([tool("read_file")], undefined, load);
    expect([await find("read"), await find("file")]).toEqual([["read_file"], ["read_file"]]);
    expect(logger.lines).toHaveLength(1);
    expect(logger.lines[0]).toMatchObject({ level: "warn", text: expect.stringContaining("by words alone") });
  });
});
