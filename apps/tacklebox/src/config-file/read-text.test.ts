import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readConfigText } from "./read-text.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tacklebox-config-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("readConfigText", () => {
  it("reads text", async () => {
    const file = join(folder, "a.yaml");
    writeFileSync(file, "servers: {}\n");
    expect(await readConfigText(file)).toEqual({ kind: "ok", text: "servers: {}\n" });
  });

  it("says when there is no such file", async () => {
    const file = join(folder, "none.yaml");
    expect(await readConfigText(file)).toEqual({
      kind: "unreadable",
      message: `${file}\nCannot read the config file: it does not exist. Name another with --config FILE.`,
    });
  });

  it("says when it is a link that leads nowhere", async () => {
    const file = join(folder, "link.yaml");
    symlinkSync(join(folder, "none.yaml"), file);
    expect(await readConfigText(file)).toEqual({
      kind: "unreadable",
      message: `${file}\nCannot read the config file: it is a link to a file that does not exist. Name another with --config FILE.`,
    });
  });

  it("says when it is a folder", async () => {
    expect(await readConfigText(folder)).toEqual({
      kind: "unreadable",
      message: `${folder}\nCannot read the config file: it is a folder. Name another with --config FILE.`,
    });
  });

  it("refuses a file over 1 MB by its size alone", async () => {
    const file = join(folder, "big.yaml");
    writeFileSync(file, "");
    truncateSync(file, 50 * 1024 * 1024 * 1024);
    expect(await readConfigText(file)).toEqual({
      kind: "unreadable",
      message: `${file}\nThe config file is 51200.0 MB; a config file may be at most 1 MB. Is this the right file?`,
    });
  });

  it.runIf(process.platform === "linux")("stops reading a device that never ends", async () => {
    expect(await readConfigText("/dev/zero")).toEqual({
      kind: "unreadable",
      message:
        "/dev/zero\nThe config file is more than 1 MB; a config file may be at most 1 MB. Is this the right file?",
    });
  });

  it("refuses what is not UTF-8", async () => {
    const file = join(folder, "latin.yaml");
    writeFileSync(file, Buffer.from([0x61, 0xff, 0x62]));
    expect(await readConfigText(file)).toEqual({
      kind: "unreadable",
      message: `${file}\nCannot read the config file: it is not UTF-8 text. Name another with --config FILE.`,
    });
  });
});
