import { chmodSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTemporaryFolder, type TemporaryFolder } from "../../testing/temporary-folder.ts";
import { closeToOthers } from "./close-to-others.ts";

describe.runIf(process.getuid !== undefined)("F15: on a file system without modes", () => {
  let folder: TemporaryFolder;
  let file: string;

  beforeEach(async () => {
    folder = await createTemporaryFolder();
    file = folder.at("tacklebox.db");
    writeFileSync(file, "x");
    chmodSync(file, 0o666);
    chmodSync(folder.path, 0o777);
  });

  afterEach(() => folder[Symbol.asyncDispose]());

  it.each([
    ["does nothing", () => undefined],
    [
      "fails",
      () => {
        throw new Error("EPERM: operation not permitted, chmod");
      },
    ],
  ])("where changing one %s, what is open to others is not said to be closed", (_, changeMode) => {
    const warnings: string[] = [];
    const options = { userId: process.getuid?.(), warn: (text: string) => void warnings.push(text), changeMode };
    closeToOthers(file, options);
    const cannot =
      "and its file system does not allow that to be changed. Use TACKLEBOX_DATA to name a data folder elsewhere.";
    expect(warnings).toEqual([
      `Other users can replace files in ${folder.path} (mode 0777), ${cannot}`,
      `${file} is open to other users (mode 0666), ${cannot}`,
    ]);
  });
});
