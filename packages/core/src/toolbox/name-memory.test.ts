import { expect, it } from "vitest";
import type { ToolRef } from "../domain/tool.ts";
import { createMemoryStore } from "../testing/index.ts";
import { NameIndex } from "./name-index.ts";
import { createNameMemory } from "./name-memory.ts";

it("saves a name for the tool that got it after its first owner's server was removed", async () => {
  const { names } = createMemoryStore();
  const refOf = (server: string): ToolRef => ({ scope: "agent", server, name: "echo" });
  await names.keep("file", {
    added: [{ name: "echo", ref: refOf("old") }],
    servers: [{ scope: "agent", server: "old" }],
  });
  const memory = createNameMemory({
    names,
    logger: { log: () => undefined },
    source: () => "file",
    servers: () => [{ scope: "agent", server: "new" }],
    isEveryServerTried: () => true,
  });
  await memory.recall();
  const held = new NameIndex();
  held.add("echo", refOf("new"));
  memory.note(held);
  await memory.save();
  expect(await names.load("file")).toEqual([{ name: "echo", ref: refOf("new") }]);
});

it("saves what could not be saved with the next save", async () => {
  const { names } = createMemoryStore();
  let isFull = true;
  const keep: typeof names.keep = async (source, kept) => {
    if (isFull) throw new Error("the disk is full");
    await names.keep(source, kept);
  };
  const lines: string[] = [];
  const memory = createNameMemory({
    names: { ...names, keep },
    logger: { log: (_level, text) => void lines.push(text) },
    source: () => "file",
    servers: () => [{ scope: "agent", server: "s" }],
    isEveryServerTried: () => true,
  });
  const held = new NameIndex();
  held.add("echo", { scope: "agent", server: "s", name: "echo" });
  memory.note(held);
  await memory.save();
  expect([lines.length, await names.load("file")]).toEqual([1, []]);
  isFull = false;
  await memory.save();
  expect((await names.load("file")).map(({ name }) => name)).toEqual(["echo"]);
});
