import { describe, expect, it } from "vitest";
import { createScriptedEngine, readTool } from "../../testing/scripted-engine.ts";
import { textOf, toLineDraft } from "../terminal/line-editor.ts";
import { createComplete } from "./complete.ts";

const tools = ["files_read", "files_write", "echo", "echo\u202e"].map((shownName) => ({ ...readTool, shownName }));
const { engine } = createScriptedEngine({
  tools: { list: async () => tools },
  models: {
    list: async () => [
      {
        name: "demo",
        vendor: "demo",
        modelId: "demo",
        isDefault: true,
        source: "built in",
        vision: false,
        contextTokens: 1,
      },
    ],
  },
});

async function complete(text: string) {
  const found = await createComplete(engine)(toLineDraft(text));
  return found === undefined ? undefined : [textOf(found.draft), found.choices];
}

describe("the Tab key", () => {
  it.each<[string, [string, string[]] | undefined]>([
    ["/to", ["/tools ", ["/tools"]]],
    ["/s", ["/s", ["/servers", "/sessions", "/show"]]],
    ["/model d", ["/model demo ", ["demo"]]],
    ["/why fi", ["/why files_", ["files_read", "files_write"]]],
    ["please files_r", ["please files_read ", ["files_read"]]],
    ["", undefined],
    ["nothing", undefined],
  ])("completes %j to %j", async (text, completed) => expect(await complete(text)).toEqual(completed));

  it("T18 never inserts a name with characters that cannot be seen", async () => {
    expect(await complete("ech")).toEqual(["echo ", ["echo"]]);
  });
});
