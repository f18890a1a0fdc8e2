import { describe, expect, it } from "vitest";
import { ModelError } from "../../domain/model.ts";
import { DEFAULT_SEARCH, type SearchSettings } from "../../domain/search-settings.ts";
import type { FoundTool } from "../../domain/selection.ts";
import type { RegisteredTool } from "../../domain/tool.ts";
import type { Models } from "../../ports/model.ts";
import { createMemoryStore } from "../../testing/memory/memory-store.ts";
import { createRecordingLogger } from "../../testing/recording-logger.ts";
import { createScriptedModel, says, scriptedModels } from "../../testing/scripted-model.ts";
import { createModelHelp } from "./ask-models.ts";

const TOOLS = ["send_parcel", "read_letter", "feed_cat"].map(tool);

function tool(name: string): RegisteredTool {
  return {
    ref: { scope: "agent", server: "s", name },
    shownName: name,
    tool: { name, description: `Does ${name}`, inputSchema: { properties: { id: {} } }, raw: {} },
    limits: { maxInstances: 1, timeoutMs: 1 },
    configuredBy: "default",
    include: "always",
  };
}

function found(names: readonly string[], named: readonly string[] = []): FoundTool[] {
  return names.map((name, at) => ({
    tool: TOOLS.find(({ shownName }) => shownName === name) ?? tool(name),
    score: named.includes(name) ? 1 : 0.8 - at / 10,
    why: { named: named.includes(name), words: [], server: 0, meaning: 0 },
  }));
}

const memoryStore = () => createMemoryStore();

/** The fake embeddings of texts about cats point in one direction, those about letters in another. */
function createHelp(search: Partial<SearchSettings>, models: Partial<Models> = {}, store = memoryStore()) {
  const embedded: string[][] = [];
  const logger = createRecordingLogger();
  let version = 1;
  const help = createModelHelp({
    models: {
      ...scriptedModels(createScriptedModel([])),
      async embed(_model, texts) {
        embedded.push([...texts]);
        return texts.map((text) => [Number(/cat|pet/.test(text)), Number(/letter/.test(text)), 0.1]);
      },
      ...models,
    },
    settings: () => ({ ...DEFAULT_SEARCH, ...search }),
    fingerprintOf: ({ name }) => `${name} ${version}`,
    embeddings: store.embeddings,
    logger,
  });
  const improve = async (query: string, matches: readonly FoundTool[], among = TOOLS) =>
    (await help.improve(query, matches, among)).map(({ tool: one, score }) => [one.shownName, score] as const);
  return { help, improve, embedded, logger, change: () => (version += 1) };
}

const namesOf = (list: readonly (readonly [string, number])[]) => list.map(([name]) => name);

describe("embeddings of a model", () => {
  it("rank tools by meaning before tools by words, and find tools that no word finds", async () => {
    const { improve } = createHelp({ embeddings: "e" });
    const improved = await improve("pet", found(["send_parcel", "feed_cat"]));
    expect(namesOf(improved)).toEqual(["feed_cat", "send_parcel"]);
    expect(namesOf(await improve("pet", found(["send_parcel"])))).toEqual(["send_parcel", "feed_cat"]);
    expect(improved.every(([, score]) => score >= 0 && score <= 1)).toBe(true);
  });

  it("leave a tool that was named where it is", async () => {
    const { improve } = createHelp({ embeddings: "e" });
    expect(namesOf(await improve("pet", found(["send_parcel", "feed_cat"], ["send_parcel"])))[0]).toBe("send_parcel");
  });

  it("are requested once, however often the program is started, unless the tool or the model changes", async () => {
    const store = memoryStore();
    const start = (models: Partial<Models> = {}) => createHelp({ embeddings: "e" }, models, store);
    const [first, second] = [start(), start()];
    await first.improve("pet", found(["feed_cat"]));
    expect(namesOf(await second.improve("pet", found(["send_parcel"])))).toEqual(["send_parcel", "feed_cat"]);
    expect([first, second].map(({ embedded }) => embedded.map(({ length }) => length))).toEqual([[3, 1], [1]]);
    second.change();
    await second.improve("pet", found(["feed_cat"]));
    expect(second.embedded.map(({ length }) => length)).toEqual([1, 3, 1]);
    const another = createScriptedModel([]);
    const renamed = { ...another, summary: { ...another.summary, name: "e", modelId: "another" } };
    const third = start(scriptedModels(renamed));
    await third.improve("pet", found(["feed_cat"]));
    expect(third.embedded.map(({ length }) => length)).toEqual([3, 1]);
  });

  it("S3.8 of a session's tools are not stored", async () => {
    const store = memoryStore();
    const saved: string[] = [];
    const save = store.embeddings.save.bind(store.embeddings);
    store.embeddings.save = async (model, vectors) => {
      saved.push(...vectors.keys());
      await save(model, vectors);
    };
    const brought = { ...tool("walk_cat"), ref: { scope: "session", server: "s", name: "walk_cat" } } as const;
    const { improve } = createHelp({ embeddings: "e" }, {}, store);
    await improve("pet", found(["feed_cat"]), [...TOOLS, brought]);
    expect(saved).toHaveLength(TOOLS.length);
  });

  it("that cannot be saved or loaded are logged, and the search goes on", async () => {
    const store = memoryStore();
    store.embeddings.load = () => Promise.reject(new Error("The file is damaged."));
    store.embeddings.save = () => Promise.reject(new Error("The disk is full."));
    const { improve, logger } = createHelp({ embeddings: "e" }, {}, store);
    expect(namesOf(await improve("pet", found(["send_parcel"])))).toEqual(["send_parcel", "feed_cat"]);
    expect(logger.texts("warn")).toEqual([
      "Embeddings of tools cannot be kept, so the model is asked for them again: The file is damaged.",
      "Embeddings of tools cannot be kept, so the model is asked for them again: The disk is full.",
    ]);
  });

  it("are requested once for each tool, and again when it has changed", async () => {
    const { improve, embedded, change } = createHelp({ embeddings: "e" });
    await improve("pet", found(["feed_cat"]));
    await improve("cat", found(["feed_cat"]));
    expect(embedded.map(({ length }) => length)).toEqual([3, 1, 1]);
    expect(embedded[0]?.[2]).toBe("s / feed_cat / Does feed_cat / id");
    change();
    await improve("pet", found(["feed_cat"]));
    expect(embedded.map(({ length }) => length)).toEqual([3, 1, 1, 3, 1]);
  });
});

describe("embeddings of many tools", () => {
  it("are kept as far as they came, so that a slow model is only asked for the remaining ones", async () => {
    const many = Array.from({ length: 250 }, (_, at) => tool(`tool_${at}`));
    const sizes: number[] = [];
    const { help, logger } = createHelp(
      { embeddings: "e" },
      {
        async embed(_model, texts) {
          sizes.push(texts.length);
          if (sizes.length === 3) throw new ModelError("unreachable", "Model 'e' took too long.");
          return texts.map(() => [1, 0]);
        },
      },
    );
    await help.improve("pet", found(["tool_1"]), many);
    expect(logger.texts("warn")).toHaveLength(1);
    await help.improve("pet", found(["tool_1"]), many);
    expect(sizes).toEqual([100, 100, 50, 50, 1]);
    expect(await help.improve("pet", [], [])).toEqual([]);
    expect(sizes).toHaveLength(5);
  });
});

describe("a model that ranks", () => {
  const NAMES = ["send_parcel", "read_letter", "feed_cat"];

  it("is shown signatures and decides the order; scores stay with the positions", async () => {
    const model = createScriptedModel([says("3, 99, 1, 3")]);
    const { improve } = createHelp({ rerank: "scripted" }, scriptedModels(model));
    const matches = found(NAMES);
    expect(await improve("feed him", matches)).toEqual([
      ["feed_cat", matches[0]?.score],
      ["send_parcel", matches[1]?.score],
      ["read_letter", matches[2]?.score],
    ]);
    const [part] = model.requests[0]?.messages[0]?.role === "user" ? model.requests[0].messages[0].parts : [];
    expect(part).toMatchObject({ text: expect.stringContaining("3. s/feed_cat(id?: any) - Does feed_cat") });
  });

  it("cannot move a tool that was named", async () => {
    const { improve } = createHelp({ rerank: "scripted" }, scriptedModels(createScriptedModel([says("3,2")])));
    expect(namesOf(await improve("x", found(NAMES, ["send_parcel"])))).toEqual([
      "send_parcel",
      "feed_cat",
      "read_letter",
    ]);
  });

  it("changes nothing if its answer has no numbers", async () => {
    const { improve } = createHelp(
      { rerank: "scripted" },
      scriptedModels(createScriptedModel([says("I like tools.")])),
    );
    expect(namesOf(await improve("x", found(NAMES)))).toEqual(NAMES);
  });
});

describe("a model that fails", () => {
  it("leads to a warning, and the search keeps what it found", async () => {
    const fail = () => Promise.reject(new ModelError("unreachable", "Model 'e' cannot be reached."));
    const { improve, logger } = createHelp(
      { embeddings: "e", rerank: "nobody" },
      { embed: fail, open: async () => ({ kind: "unknown", message: "There is no model 'nobody'." }) },
    );
    const matches = found(["send_parcel", "feed_cat"]);
    expect(namesOf(await improve("pet", matches))).toEqual(["send_parcel", "feed_cat"]);
    expect(logger.texts("warn")).toEqual([
      "toolbox.search.embeddings did not help this search: Model 'e' cannot be reached.",
      "toolbox.search.rerank did not help this search: There is no model 'nobody'.",
    ]);
  });

  it("is not asked at all unless the settings name it", async () => {
    const { help, improve, embedded } = createHelp({});
    expect(namesOf(await improve("pet", found(["send_parcel", "feed_cat"])))).toEqual(["send_parcel", "feed_cat"]);
    expect([embedded, help.matchesNeeded(7, 1_000)]).toEqual([[], 7]);
  });
});
