import { expect, it } from "vitest";
import type { HeldName, ToolRef } from "../../domain/tool.ts";
import type { Names } from "../../ports/store.ts";
import { createMemoryStore } from "../../testing/index.ts";
import { NameIndex } from "./name-index.ts";
import { createNameMemory } from "./name-memory.ts";

it("saves a name for the tool that got it after its first owner's server was removed", async () => {
  const { names } = createMemoryStore();
  const refOf = (server: string): ToolRef => ({ scope: "agent", server, name: "echo" });
  await names.keep("file", {
    added: [{ name: "echo", ref: refOf("old") }],
    removed: [],
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

/** A process with these servers, whose memory is `names`. */
function createProcess(names: Names, servers: readonly string[], isEveryServerTried = true) {
  let configured = servers;
  const memory = createNameMemory({
    names,
    logger: { log: () => undefined },
    source: () => "file",
    servers: () => configured.map((server) => ({ scope: "agent", server })),
    isEveryServerTried: () => isEveryServerTried,
  });
  const hold = (...held: HeldName[]) => {
    const index = new NameIndex();
    for (const { name, ref } of held) index.add(name, ref);
    memory.note(index);
  };
  return {
    ...memory,
    hold,
    configure: (next: readonly string[]) => {
      configured = next;
    },
  };
}

function heldBy(server: string, name: string): HeldName {
  return { name, ref: { scope: "agent", server, name } };
}

it("F5 a process with an older configuration leaves the names of servers that were added since", async () => {
  const { names } = createMemoryStore();
  const older = createProcess(names, ["a", "gone"]);
  await older.recall();
  older.hold(heldBy("a", "x"), heldBy("gone", "y"));
  await older.save();
  const newer = createProcess(names, ["a", "gone", "added"]);
  await newer.recall();
  newer.hold(heldBy("a", "x"), heldBy("gone", "y"), heldBy("added", "echo"));
  await newer.save();
  older.hold(heldBy("a", "x"), heldBy("a", "z"));
  older.configure(["a"]);
  await older.save();
  expect((await names.load("file")).map(({ name }) => name)).toEqual(["x", "echo", "z"]);
});

it("F3 forgets the names of servers that were removed before the process started", async () => {
  const { names } = createMemoryStore();
  const before = createProcess(names, ["old"]);
  before.hold(heldBy("old", "echo"));
  await before.save();
  const after = createProcess(names, ["new"]);
  await after.recall();
  after.hold(heldBy("new", "echo"));
  await after.save();
  expect(await names.load("file")).toEqual([heldBy("new", "echo")]);
});

it("F3 saves a name in use although another server was never tried, and only that one", async () => {
  const { names } = createMemoryStore();
  const memory = createProcess(names, ["a", "silent"], false);
  await memory.recall();
  memory.hold(heldBy("a", "echo"), heldBy("a", "other"));
  memory.use(heldBy("a", "echo"));
  await memory.save();
  expect(await names.load("file")).toEqual([heldBy("a", "echo")]);
});
