import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
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

  describe.runIf(process.platform !== "win32")("that somebody else could have written", () => {
    const whyNot = async () => {
      const found = await findRecord(ALLOWED.place, environment);
      return found.kind === "unusable" ? found.why : found.kind;
    };
    const file = () => recordFile(ALLOWED.place, environment);
    const agreements = () => join(folder, "agreements");

    it("do not count when others may write to one", async () => {
      await saveRecord(ALLOWED, environment);
      chmodSync(file(), 0o622);
      expect(await whyNot()).toBe(
        `Other users may write to ${file()}, so the agreement in it does not count. Remove it.`,
      );
    });

    it("do not count when one is a link, and the next agreement replaces the link", async () => {
      await saveRecord(ALLOWED, environment);
      renameSync(file(), join(folder, "elsewhere.json"));
      symlinkSync(join(folder, "elsewhere.json"), file());
      expect(await whyNot()).toBe(
        `${file()} is a link and could lead to an agreement of somebody else, so it does not count. Remove the link.`,
      );
      expect(await saveRecord(ALLOWED, environment)).toBeUndefined();
      expect(await whyNot()).toBe("found");
    });

    it("do not count when one is a pipe, which is not waited for", async () => {
      await saveRecord(ALLOWED, environment);
      rmSync(file());
      execFileSync("mkfifo", ["-m", "600", file()]);
      expect(await whyNot()).toContain("is damaged");
    });

    it("do not count, nor are any stored, in a folder that others may write to", async () => {
      await saveRecord(ALLOWED, environment);
      chmodSync(agreements(), 0o777);
      const why = `Other users may write to ${agreements()} and could agree in your name, so no agreement in it counts. Close it to them: chmod go-w ${agreements()}`;
      expect([await whyNot(), await saveRecord(ALLOWED, environment)]).toEqual([why, why]);
      chmodSync(agreements(), 0o755);
      expect(await whyNot()).toBe("found");
    });

    it("do not count, nor are any stored, in a folder that is a link", async () => {
      await saveRecord(ALLOWED, environment);
      renameSync(agreements(), join(folder, "elsewhere"));
      symlinkSync(join(folder, "elsewhere"), agreements());
      const why = `${agreements()} is a link and could lead to agreements of somebody else, so none of them count. Remove the link.`;
      expect([await whyNot(), await saveRecord(ALLOWED, environment)]).toEqual([why, why]);
    });

    // Only root may give files away.
    it.runIf(process.getuid?.() === 0)("do not count when one, or their folder, is another user's", async () => {
      await saveRecord(ALLOWED, environment);
      chownSync(file(), 65_534, 65_534);
      expect(await whyNot()).toBe(
        `${file()} belongs to another user, so the agreement in it does not count. Remove it.`,
      );
      chownSync(agreements(), 65_534, 65_534);
      const why = `${agreements()} belongs to another user, who could agree in your name, so no agreement in it counts. Move it away, or name another data folder with TACKLEBOX_DATA.`;
      expect([await whyNot(), await saveRecord(ALLOWED, environment)]).toEqual([why, why]);
    });
  });

  it("say why one cannot be stored", async () => {
    writeFileSync(join(folder, "agreements"), "in the way");
    expect(await saveRecord(ALLOWED, environment)).toMatch(/cannot be written \(\w+\), so nothing was recorded\.$/);
  });
});
