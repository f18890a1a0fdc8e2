import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "../../testing/temporary-folder.ts";
import { scanRows } from "./scan-rows.ts";

it("reads no row that claims to be larger than its file, however long its pages lead on", async () => {
  await using folder = await createTemporaryFolder();
  const pages = Buffer.alloc(3 * 4096);
  const leaf = pages.subarray(4096, 2 * 4096);
  leaf.writeUInt8(13, 0);
  leaf.writeUInt16BE(1, 3);
  leaf.writeUInt16BE(16, 8);
  // A row of 32 MB with the number 1: a record of one NULL, continued on page 3, which continues on itself.
  Buffer.from([0x90, 0x80, 0x80, 0x00, 1, 2, 0]).copy(leaf, 16);
  leaf.writeUInt32BE(3, 21 + 489);
  pages.writeUInt32BE(3, 2 * 4096);
  writeFileSync(folder.at("cycle.db"), pages);
  expect([...scanRows(folder.at("cycle.db"))]).toEqual([]);
});
