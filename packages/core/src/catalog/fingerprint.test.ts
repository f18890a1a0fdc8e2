import { describe, expect, it } from "vitest";
import type { Launch } from "../domain/server.ts";
import { canonicalJson } from "../json/json.ts";
import { webHasher } from "../platform/web-hasher.ts";
import { createFingerprinter } from "./fingerprint.ts";

const launch: Launch = { transport: "stdio", command: "files", args: ["."], env: { B: "2", A: "1" } };
const toTool = (raw: Readonly<Record<string, string>>) => ({ name: "a", description: "", inputSchema: {}, raw });

describe("a tool's fingerprint", () => {
  it("is the digest of one text about launch and definition, so that what people agreed to stays agreed to", async () => {
    const identity = { transport: "stdio", command: "files", args: ["."], env: ["A", "B"] };
    const raw = { title: "A", name: "a" };
    const digest = await webHasher.sha256(canonicalJson({ launch: identity, tool: raw }));
    expect(await createFingerprinter(launch, webHasher)(toTool(raw))).toBe(digest);
  });

  it("does not depend on values of the environment or on the order of members", async () => {
    const rotated = { ...launch, env: { A: "other", B: "2" } };
    const one = await createFingerprinter(launch, webHasher)(toTool({ name: "a", title: "A" }));
    expect(await createFingerprinter(rotated, webHasher)(toTool({ title: "A", name: "a" }))).toBe(one);
  });

  it("changes with any word of the definition and with the launch", async () => {
    const fingerprintOf = createFingerprinter(launch, webHasher);
    const elsewhere = createFingerprinter({ ...launch, args: [".."] }, webHasher);
    const digests = [
      await fingerprintOf(toTool({ name: "a" })),
      await fingerprintOf(toTool({ name: "a", title: "A" })),
      await elsewhere(toTool({ name: "a" })),
    ];
    expect(new Set(digests).size).toBe(3);
  });
});
