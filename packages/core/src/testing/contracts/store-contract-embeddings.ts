import { assertEqual } from "./contract.ts";
import type { StoreCases } from "./store-contract-case.ts";

export const embeddingCases: StoreCases = {
  "returns the vectors it has for this model and these keys only": async ({ store }) => {
    await store.embeddings.save(
      "m",
      new Map([
        ["a", [1, -0.5, 0]],
        ["b", [0.25, 2, 4]],
      ]),
    );
    await store.embeddings.save("other", new Map([["c", [1]]]));
    const found = await store.embeddings.load("m", ["b", "c", "nothing", "a"]);
    assertEqual(
      [...found],
      [
        ["b", [0.25, 2, 4]],
        ["a", [1, -0.5, 0]],
      ],
      "the vectors",
    );
    assertEqual((await store.embeddings.load("m", [])).size, 0, "those of no keys");
  },

  "replaces a vector that is saved again": async ({ store }) => {
    await store.embeddings.save("m", new Map([["a", [1]]]));
    await store.embeddings.save("m", new Map([["a", [2, 3]]]));
    assertEqual([...(await store.embeddings.load("m", ["a"]))], [["a", [2, 3]]], "the vector");
  },
};
