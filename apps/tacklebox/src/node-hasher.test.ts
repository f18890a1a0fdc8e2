import { hasherContract } from "@tacklebox/core/testing";
import { describe, it } from "vitest";
import { nodeHasher } from "./node-hasher.ts";

describe("nodeHasher keeps the hasher contract", () => {
  for (const { name, run } of hasherContract(nodeHasher)) it(name, run);
});
