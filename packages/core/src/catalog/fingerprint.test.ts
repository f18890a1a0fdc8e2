import { describe, expect, it } from "vitest";
import type { HttpTarget, Launch } from "../domain/launch.ts";
import { canonicalJson } from "../json/json.ts";
import { webHasher } from "../platform/web-hasher.ts";
import { testDefinition } from "../testing/test-definition.ts";
import { createFingerprinter, launchKey } from "./fingerprint.ts";

const launch: Launch = { transport: "stdio", command: "files", args: ["."], env: { B: "2", A: "1" } };
const TARGET: HttpTarget = {
  url: "https://x.example/mcp?token=1#there",
  headers: { b: "2", a: "1" },
  authentication: { type: "bearer", token: "secret" },
};
const toTool = (raw: Readonly<Record<string, string>>) => ({ name: "a", description: "", inputSchema: {}, raw });

describe("a tool's fingerprint", () => {
  it("is the digest of launch and definition in a fixed form, so that stored approvals stay valid", async () => {
    const identity = { transport: "stdio", command: "files", args: ["."], env: ["A", "B"] };
    const raw = { title: "A", name: "a" };
    const digest = await webHasher.sha256(canonicalJson({ launch: identity, tool: raw }));
    expect(await createFingerprinter(launch, webHasher)(toTool(raw))).toBe(digest);
  });

  it.each<[Launch, unknown, unknown]>([
    [
      { transport: "stdio", command: "x", args: [], env: {}, cwd: "/y" },
      { transport: "stdio", command: "x", args: [], env: [], cwd: "/y" },
      "same",
    ],
    ...(["http", "streamable-http", "sse"] as const).map((transport): [Launch, unknown, unknown] => [
      { transport, ...TARGET },
      { transport: "remote", url: "https://x.example/mcp", headers: ["a", "b"] },
      "same",
    ]),
    [{ transport: "local" }, { transport: "local" }, "same"],
    [
      { transport: "custom", tools: [{ name: "a", description: "", inputSchema: {}, ...TARGET }] },
      {
        transport: "custom",
        tools: [["a", { transport: "custom", url: "https://x.example/mcp", headers: ["a", "b"] }]],
      },
      { transport: "custom", url: "https://x.example/mcp", headers: ["a", "b"] },
    ],
    [{ transport: "custom", tools: [] }, { transport: "custom", tools: [] }, null],
  ])(
    "of %j is made of the same texts as ever, and so is the name of its server's inventory",
    async (reached, identity, ofTool) => {
      const raw = { name: "a" };
      const digested = canonicalJson({ launch: ofTool === "same" ? identity : ofTool, tool: raw });
      expect(await createFingerprinter(reached, webHasher)(toTool(raw))).toBe(await webHasher.sha256(digested));
      const digest = await webHasher.sha256(canonicalJson(identity));
      expect(await launchKey(testDefinition("s", { launch: reached }), webHasher)).toBe(`s@${digest.slice(0, 16)}`);
    },
  );

  it("does not depend on values of the environment or on the order of members", async () => {
    const rotated = { ...launch, env: { A: "other", B: "2" } };
    const one = await createFingerprinter(launch, webHasher)(toTool({ name: "a", title: "A" }));
    expect(await createFingerprinter(rotated, webHasher)(toTool({ title: "A", name: "a" }))).toBe(one);
  });

  it("changes with any part of the definition and with the launch", async () => {
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
