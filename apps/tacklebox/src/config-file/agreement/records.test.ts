import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CommandEnvironment } from "../../io.ts";
import type { Allowed } from "./record.ts";
import { findRecord, recordFile, saveRecord } from "./records.ts";

let folder: string;
let environment: CommandEnvironment;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tacklebox-agreements-"));
  environment = { env: { TACKLEBOX_DATA: folder }, platform: process.platform, home: folder, cwd: folder };
});
afterEach(() => rmSync(folder, { recursive: true }));

const ALLOWED: Allowed = {
  decision: "allowed",
  place: "/project/tacklebox.yaml",
  target: "/project/tacklebox.yaml",
  sha256: ["ab"],
  at: "2026-11-18T00:00:00.000Z",
  demands: {
    entries: [{ what: "server", name: "a", lines: [{ label: "command", text: "x" }] }],
    variables: ["V"],
    secrets: ["s"],
  },
};

describe("records of agreements", () => {
  it("are found as they were saved, each for its own place", async () => {
    expect(await findRecord(ALLOWED.place, environment)).toEqual({ kind: "none" });
    expect(await saveRecord(ALLOWED, environment)).toBeUndefined();
    expect(await findRecord(ALLOWED.place, environment)).toEqual({ kind: "found", record: ALLOWED });
    expect(await findRecord("/other/tacklebox.yaml", environment)).toEqual({ kind: "none" });
    expect(readdirSync(join(folder, "agreements"))).toHaveLength(1);
    const denied = { decision: "denied", place: ALLOWED.place, at: ALLOWED.at } as const;
    await saveRecord(denied, environment);
    expect(await findRecord(ALLOWED.place, environment)).toEqual({ kind: "found", record: denied });
  });

  it.each([
    ["not JSON", "{"],
    ["empty", ""],
    ["a list", "[]"],
    ["without its demands", JSON.stringify({ ...ALLOWED, demands: undefined })],
    ["with a name that is no text", JSON.stringify({ ...ALLOWED, demands: { ...ALLOWED.demands, secrets: [1] } })],
    ["about another place", JSON.stringify({ ...ALLOWED, place: "/elsewhere/tacklebox.yaml" })],
    ["with another decision", JSON.stringify({ ...ALLOWED, decision: "perhaps" })],
  ])("do not count when one is %s", async (_, text) => {
    await saveRecord(ALLOWED, environment);
    writeFileSync(recordFile(ALLOWED.place, environment), text);
    expect(await findRecord(ALLOWED.place, environment)).toMatchObject({
      kind: "unusable",
      why: expect.stringContaining("is damaged"),
    });
  });

  it.runIf(process.platform !== "win32")("do not count when others may write to them", async () => {
    await saveRecord(ALLOWED, environment);
    chmodSync(recordFile(ALLOWED.place, environment), 0o622);
    expect(await findRecord(ALLOWED.place, environment)).toMatchObject({
      kind: "unusable",
      why: expect.stringContaining("Others may write to"),
    });
  });

  it("say why one cannot be stored", async () => {
    writeFileSync(join(folder, "agreements"), "in the way");
    expect(await saveRecord(ALLOWED, environment)).toMatch(/cannot be written \(\w+\), so nothing was recorded\.$/);
  });
});
