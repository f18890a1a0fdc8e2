import { expect, it } from "vitest";
import { plain } from "../../output/colour.ts";
import { createScriptedEngine } from "../../testing/scripted-engine.ts";
import { type ChatState, parseInput } from "./slash-commands.ts";

it.each([40, 60, 80, 120])("/help breaks no word on a terminal of %d columns", async (columns) => {
  const state: ChatState = {
    engine: createScriptedEngine({}).engine,
    screen: { paint: plain, columns: () => columns },
    cards: { describe: () => undefined, count: () => 0 },
    settings: { gpt: undefined, model: undefined, sessionId: undefined, approve: undefined },
    reloadConfig: async () => ({ kind: "no-file" }),
  };
  const parsed = parseInput("/help");
  if (parsed.kind !== "command") throw new Error("/help is no command");
  const lines = (await parsed.command.run("", state)).split("\n");
  expect(lines.filter((line) => line.length >= columns)).toEqual([]);
});
