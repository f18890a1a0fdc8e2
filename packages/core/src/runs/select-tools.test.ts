import { describe, expect, it } from "vitest";
import type { IncludeMode } from "../domain/approval.ts";
import { DEFAULT_SEARCH } from "../domain/search-settings.ts";
import type { Selection } from "../domain/selection.ts";
import type { RegisteredTool } from "../domain/tool.ts";
import { type SelectionContext, selectTools } from "./select-tools.ts";

interface Written {
  readonly include?: IncludeMode;
  readonly includeBy?: "tool";
  readonly scope?: "agent" | "session";
  /** Roughly how many tokens the definition takes. */
  readonly tokens?: number;
}

function tool(name: string, { include = "always", includeBy, scope = "agent", tokens = 100 }: Written = {}) {
  const description = "x".repeat(Math.max(0, tokens * 4 - 70));
  const registered: RegisteredTool = {
    ref: { scope, server: "s", name },
    shownName: name,
    tool: { name, description, inputSchema: { type: "object" }, raw: {} },
    limits: { maxInstances: 1, timeoutMs: 1 },
    configuredBy: "default",
    include,
    ...(includeBy !== undefined && { includeBy }),
  };
  return registered;
}

function many(count: number, prefix: string, written: Written = {}): RegisteredTool[] {
  return Array.from({ length: count }, (_, index) => tool(`${prefix}${index}`, written));
}

/** A search that finds these tools in this order, the first with score 1 and each next one a tenth lower. */
function finds(...names: readonly string[]): SelectionContext["search"] {
  return async (_query, among, limit) =>
    names
      .flatMap((name) => among.find(({ shownName }) => shownName === name) ?? [])
      .slice(0, limit)
      .map((found, place) => ({
        tool: found,
        score: 1 - place / 10,
        why: { named: false, words: [], server: 0, meaning: 0 },
      }));
}

const neverSearches: SelectionContext["search"] = async () => {
  throw new Error("nobody should search");
};

async function select(context: Partial<SelectionContext>) {
  const selected = await selectTools({
    tools: [],
    prompt: "do it",
    messages: [],
    used: [],
    model: { contextTokens: 200_000 },
    settings: DEFAULT_SEARCH,
    search: neverSearches,
    ...context,
  });
  const names = (tools: readonly RegisteredTool[]) => tools.map(({ shownName }) => shownName);
  const { steady, chosen, capped, selection } = selected;
  return { steady: names(steady), chosen: names(chosen), capped: names(capped), selection };
}

/** A conversation whose last prompt was sent with this selection. */
function after(selection: Pick<Selection, "tools">): SelectionContext["messages"] {
  return [{ role: "assistant", parts: [], selection: { left: 0, demoted: 0, capped: 0, ...selection } }];
}

describe("what goes into the requests of a prompt", () => {
  it("all `always` tools, in the toolbox's order and without a search, while they fit", async () => {
    const tools = [tool("b"), tool("a"), tool("by-hand", { include: "manual" })];
    expect(await select({ tools })).toEqual({
      steady: ["b", "a", "by-hand"],
      chosen: [],
      capped: [],
      selection: {
        tools: [
          { name: "b", server: "s", mode: "always" },
          { name: "a", server: "s", mode: "always" },
          { name: "by-hand", server: "s", mode: "manual" },
        ],
        left: 0,
        demoted: 0,
        capped: 0,
      },
    });
  });

  it("C3.2 the `agent` tools that search selects, with their scores", async () => {
    const tools = [tool("a"), tool("one", { include: "agent" }), tool("two", { include: "agent" })];
    const { steady, chosen, selection } = await select({ tools, search: finds("two") });
    expect([steady, chosen]).toEqual([["a"], ["two"]]);
    expect(selection).toMatchObject({ left: 1, demoted: 0 });
    expect(selection.tools.at(-1)).toEqual({ name: "two", server: "s", mode: "agent", score: 1 });
  });

  it("if not all `always` tools fit, they are searched like `agent` ones, and their number is reported", async () => {
    const tools = many(200, "t");
    const { steady, chosen, selection } = await select({ tools, search: finds("t150", "t3") });
    expect([steady, chosen]).toEqual([[], ["t150", "t3"]]);
    expect(selection).toMatchObject({ left: 198, demoted: 200 });
    expect(selection.tools).toEqual([
      { name: "t150", server: "s", mode: "agent", score: 1 },
      { name: "t3", server: "s", mode: "agent", score: 0.9 },
    ]);
  });

  it("a tool configured as `always` by name stays, up to half of the budget", async () => {
    const asked = many(60, "asked", { includeBy: "tool" });
    const { steady, selection } = await select({ tools: [...many(200, "t"), ...asked], search: finds() });
    expect(steady.length).toBeGreaterThan(30);
    expect(steady.length).toBeLessThan(60);
    expect(steady[0]).toBe("asked0");
    expect(selection.demoted).toBe(260 - steady.length);
  });

  it("S3.9 S3.11 tools of session servers and those added by hand are sent whatever they cost, never searched", async () => {
    const session = many(200, "mine", { scope: "session" });
    const search: SelectionContext["search"] = async (_query, among) => {
      expect(among.map(({ shownName }) => shownName)).toEqual(["t0", "t1"]);
      return [];
    };
    const tools = [...many(2, "t"), ...session, tool("by-hand", { include: "manual" })];
    const { steady, capped, selection } = await select({ tools, search });
    expect(steady).toEqual([...session.map(({ shownName }) => shownName), "by-hand"]);
    expect([capped, selection.left]).toEqual([[], 2]);
  });

  it("S3.28 a session server whose client says `agent` is searched like any other", async () => {
    const tools = [tool("mine", { scope: "session" }), tool("asked", { scope: "session", include: "agent" })];
    expect((await select({ tools, search: finds("asked") })).chosen).toEqual(["asked"]);
    expect(await select({ tools, search: finds() })).toMatchObject({
      steady: ["mine"],
      chosen: [],
      selection: { left: 1 },
    });
  });

  it("the best matches, up to two fifths of the budget; larger tools are left to call_tool", async () => {
    const tools = [...many(30, "t", { tokens: 600 }), tool("huge", { tokens: 30_000 })];
    const names = ["huge", ...tools.map(({ shownName }) => shownName)];
    const { chosen } = await select({ tools, search: finds(...names) });
    expect(chosen).toEqual(["t0", "t1", "t2", "t3", "t4"]);
  });

  it("definitions take at most a tenth of a small window; a setting overrides that", async () => {
    const tools = many(20, "t");
    const search = finds("t1");
    expect((await select({ tools, search })).selection.demoted).toBe(0);
    expect((await select({ tools, search, model: { contextTokens: 8_000 } })).selection.demoted).toBe(20);
    const settings = { ...DEFAULT_SEARCH, budgetTokens: 500 };
    expect((await select({ tools, search, settings })).selection.demoted).toBe(20);
  });

  it("C3.3 top_k matches are considered, top_n of them sent, and the others if their score is high", async () => {
    const tools = many(200, "t");
    const names = ["t0", "t1", "t2", "t3", "t4", "t5"];
    const chosen = async (settings: Partial<typeof DEFAULT_SEARCH>) =>
      (await select({ tools, search: finds(...names), settings: { ...DEFAULT_SEARCH, ...settings } })).chosen;
    expect(await chosen({})).toEqual(names);
    expect(await chosen({ topK: 3 })).toEqual(["t0", "t1", "t2"]);
    expect(await chosen({ topN: 1 })).toEqual(["t0", "t1", "t2", "t3"]);
    expect(await chosen({ topN: 5, includeScore: 0.9 })).toEqual(["t0", "t1", "t2", "t3", "t4"]);
  });
});

describe("from prompt to prompt", () => {
  const tools = many(200, "t");
  const sent = (...names: string[]) => ({
    tools: names.map((name) => ({ name, server: "s", mode: "agent" as const })),
  });

  it("tools sent before keep their place, and newly found ones come after them", async () => {
    const messages = after(sent("t9", "t5"));
    const { chosen, selection } = await select({ tools, messages, used: ["t7"], search: finds("t1", "t5") });
    expect(chosen).toEqual(["t9", "t5", "t7", "t1"]);
    expect(selection.tools.map(({ score }) => score)).toEqual([undefined, 0.9, undefined, 1]);
  });

  it("unused tools sent before are dropped if they would crowd out better matches; used ones stay", async () => {
    const large = many(60, "t", { tokens: 400 });
    const messages = after(sent(...Array.from({ length: 9 }, (_, index) => `t${index}`)));
    const { chosen } = await select({ tools: large, messages, used: ["t3"], search: finds("t50", "t51", "t52") });
    expect(chosen).toEqual(["t3", "t50", "t51", "t52"]);
  });

  it("however many tools were used, half of the room is left for matches of this prompt", async () => {
    const large = many(60, "t", { tokens: 400 });
    const used = Array.from({ length: 30 }, (_, index) => `t${index}`);
    const { chosen } = await select({ tools: large, used, search: finds("t50", "t51", "t52", "t53") });
    expect(chosen).toEqual(["t26", "t27", "t28", "t29", "t50", "t51", "t52", "t53"]);
  });

  it("a tool that no longer exists is not sent", async () => {
    const messages = after(sent("gone", "t5"));
    expect((await select({ tools, messages, used: ["lost"], search: finds() })).chosen).toEqual(["t5"]);
  });
});

describe("a model with a maximum number of tools", () => {
  const model = { contextTokens: 200_000, maxTools: 13 };

  it("`always` tools beyond that are searched, however small they are", async () => {
    const { steady, chosen, selection } = await select({
      tools: many(11, "t", { tokens: 50 }),
      model,
      search: finds("t10"),
    });
    expect([steady, chosen, selection.demoted, selection.capped]).toEqual([[], ["t10"], 11, 0]);
  });

  it("S3.9 a session's own tools are all sent while they fit, without room kept for unneeded built-in tools", async () => {
    expect(await select({ tools: many(12, "mine", { scope: "session" }), model })).toMatchObject({
      selection: { left: 0, capped: 0, tools: { length: 12 } },
    });
    expect((await select({ tools: many(13, "mine", { scope: "session" }), model })).capped).toHaveLength(3);
  });

  it("mandatory tools beyond that are left to call_tool, and counted", async () => {
    const tools = [...many(12, "mine", { scope: "session" }), ...many(3, "t")];
    const { steady, chosen, capped, selection } = await select({ tools, model, search: finds("t1") });
    expect([steady.length, chosen, capped]).toEqual([10, [], ["mine10", "mine11"]]);
    expect(selection).toMatchObject({ left: 3, capped: 2 });
  });
});
