import { describe, expect, it } from "vitest";
import { stemOf } from "./porter-stemmer.ts";

describe("stemOf", () => {
  it.each([
    ["connect", ["connects", "connected", "connecting", "connection", "connections", "connective"]],
    ["relat", ["relate", "relates", "relational", "relation"]],
    ["invoic", ["invoice", "invoices", "invoicing", "invoiced"]],
    ["schedul", ["schedule", "scheduler", "scheduling"]],
    ["happi", ["happy", "happiness"]],
    ["agre", ["agreed", "agree", "agreeing"]],
    ["hop", ["hopping", "hop"]],
    ["hope", ["hoping", "hope"]],
    ["geologi", ["geology", "geologies"]],
  ])("reduces words to their common stem %s", (stem, forms) => {
    expect(forms.map(stemOf)).toEqual(forms.map(() => stem));
  });

  it("leaves words of two letters and words without vowels alone", () => {
    expect(["is", "db", "sky", "css", "http"].map(stemOf)).toEqual(["is", "db", "sky", "css", "http"]);
  });
});
