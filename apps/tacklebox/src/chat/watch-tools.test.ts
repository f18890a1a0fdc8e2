import type { RegisteredTool, ServerView } from "@tacklebox/core";
import { waitUntil } from "@tacklebox/core/testing";
import { describe, expect, it } from "vitest";
import { createScriptedEngine, readTool, serverView } from "../testing/scripted-engine.ts";
import { watchTools } from "./watch-tools.ts";

const tool = (server: string, shownName: string): RegisteredTool => ({
  ...readTool,
  shownName,
  ref: { scope: "agent", server, name: shownName },
});

async function setUp(views: readonly ServerView[], tools: readonly RegisteredTool[]) {
  let listed = { views, tools };
  let looks = 0;
  const { engine, emit } = createScriptedEngine({
    servers: { list: async () => listed.views },
    tools: {
      list: async () => {
        looks += 1;
        return listed.tools;
      },
    },
  });
  const printed: string[] = [];
  const watch = watchTools(engine, (text) => printed.push(text));
  const change = async (next: Partial<typeof listed>) => {
    listed = { ...listed, ...next };
    const before = looks;
    emit({ type: "toolbox-changed", added: [], removed: [] });
    await waitUntil(async () => looks > before);
    // What the look found is printed after it.
    await new Promise((resolve) => setImmediate(resolve));
  };
  await watch.started();
  return { watch, change, printed, emit, looks: () => looks };
}

describe("tools that come and go while the chat is open", () => {
  it("are told of by server", async () => {
    const { change, printed } = await setUp(
      [serverView({ key: "files" })],
      [tool("files", "read"), tool("files", "list")],
    );
    await change({ tools: [tool("files", "read"), tool("files", "write")] });
    expect(printed).toEqual(["files now offers: write", "files no longer offers: list"]);
  });

  it("are not told of for a server that has just come up or gone down, which is told elsewhere", async () => {
    const { change, printed } = await setUp([serverView({ key: "files" })], [tool("files", "read")]);
    await change({
      views: [serverView({ key: "files", status: "error" }), serverView({ key: "web" })],
      tools: [tool("web", "fetch")],
    });
    expect(printed).toEqual([]);
    await change({ tools: [tool("web", "fetch"), tool("web", "post")] });
    expect(printed).toEqual(["web now offers: post"]);
  });

  it("T18 are named on one line, without what moves the cursor, and counted if they are many", async () => {
    const { change, printed } = await setUp([serverView({ key: "files" })], []);
    await change({ tools: Array.from({ length: 10 }, (_, index) => tool("files", `a${index}\n`)) });
    expect(printed).toHaveLength(1);
    expect(printed[0]).not.toContain("\n");
    expect(printed[0]).toMatch(/, 2 more$/);
  });

  it("are not told of after the end, nor for a session of somebody else", async () => {
    const { watch, printed, emit, looks } = await setUp([serverView({ key: "files" })], []);
    const before = looks();
    emit({ type: "toolbox-changed", sessionId: "other", added: ["x"], removed: [] });
    watch.close();
    emit({ type: "toolbox-changed", added: ["x"], removed: [] });
    await new Promise((resolve) => setImmediate(resolve));
    expect([looks() - before, printed]).toEqual([0, []]);
  });
});
