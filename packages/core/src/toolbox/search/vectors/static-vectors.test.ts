import { describe, expect, it } from "vitest";
import { createToolSearch } from "../ranking/create-tool-search.ts";
import { parseStaticVectors } from "./static-vectors.ts";

const WORDS = ["kitten", "tabby", "dogs", "train"];
/** Four numbers per word, from -8 to 7. */
const STEPS = [
  [7, 1, 0, -1],
  [7, 0, 1, -1],
  [0, 7, -8, 0],
  [-8, 0, 0, 7],
];

describe("parseStaticVectors", () => {
  it("reads what was written", () => {
    const vectors = parseStaticVectors(encode(WORDS, STEPS));
    const sum = new Float32Array(4);
    vectors?.add("dogs", 2, sum);
    vectors?.add("train", 1, sum);
    expect([vectors?.dimensions, ...sum]).toEqual([4, -4, 7, -8, 3.5]);
  });

  it("finds a word by its stem, and adds nothing for an unknown word", () => {
    const vectors = parseStaticVectors(encode(WORDS, STEPS));
    const sum = new Float32Array(4);
    vectors?.add("dog", 1, sum);
    vectors?.add("ferry", 1, sum);
    expect([...sum]).toEqual([0, 3.5, -4, 0]);
  });

  it("refuses bytes that are anything else", () => {
    const bytes = encode(WORDS, STEPS);
    const wrong = bytes.slice();
    wrong[0] = 0;
    const others = [new Uint8Array(0), new Uint8Array(100), bytes.slice(0, -1), new Uint8Array([...bytes, 0]), wrong];
    expect(others.map(parseStaticVectors)).toEqual(others.map(() => undefined));
    expect(parseStaticVectors(encode(["one"], STEPS))).toBeUndefined();
  });
});

describe("a search with vectors", () => {
  const pets = { server: "zoo", name: "kitten", description: "", inputSchema: {} };
  const trains = { server: "rail", name: "train", description: "", inputSchema: {} };

  it("finds a tool by its meaning if no word matches, and explains it", () => {
    const search = createToolSearch();
    search.set("pets", pets);
    search.set("trains", trains);
    expect(search.search("tabby", { limit: 5 })).toEqual([]);
    search.useVectors(vectors());
    const [match, ...others] = search.search("tabby", { limit: 5 });
    expect(match).toMatchObject({ id: "pets", why: { named: false, words: [] } });
    expect(match?.why.meaning).toBeGreaterThan(0.5);
    expect(others).toEqual([]);
  });

  it("includes tools that are added later, and forgets removed ones", () => {
    const search = createToolSearch();
    search.useVectors(vectors());
    search.set("trains", trains);
    search.set("dogs", { ...pets, name: "dogs" });
    search.set("pets", pets);
    expect(search.search("tabby", { limit: 1 })[0]?.id).toBe("pets");
    search.set("pets", { ...pets, name: "ferry" });
    expect(search.search("tabby", { limit: 1 }).map(({ id }) => id)).not.toContain("pets");
    search.remove("pets");
    search.remove("dogs");
    search.remove("trains");
    expect(search.search("tabby", { limit: 1 })).toEqual([]);
  });

  it("finds nothing for unknown words", () => {
    const search = createToolSearch();
    search.set("pets", pets);
    search.useVectors(vectors());
    expect(search.search("ferry crossing", { limit: 5 })).toEqual([]);
  });
});

function vectors() {
  const parsed = parseStaticVectors(encode(WORDS, STEPS));
  if (parsed === undefined) throw new Error("The vectors of this test are broken.");
  return parsed;
}

function encode(words: readonly string[], steps: readonly (readonly number[])[]): Uint8Array {
  const list = new TextEncoder().encode(words.join("\n"));
  const dimensions = steps[0]?.length ?? 0;
  const header = new Uint32Array([0x31564254, steps.length, dimensions, list.length]);
  const scales = new Float32Array(steps.length).fill(0.5);
  const codes = steps.flatMap((row) =>
    Array.from({ length: dimensions / 2 }, (_, at) => ((row[at * 2] ?? 0) + 8) | (((row[at * 2 + 1] ?? 0) + 8) << 4)),
  );
  return new Uint8Array([...new Uint8Array(header.buffer), ...list, ...new Uint8Array(scales.buffer), ...codes]);
}
