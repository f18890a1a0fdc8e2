import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";

it("nothing loads the model SDK before the first request: it is imported only as types, or dynamically", async () => {
  const folder = new URL("../", import.meta.url);
  const files = (await readdir(folder, { recursive: true })).filter((name) => /(?<!\.test)\.ts$/.test(name));
  const eager: string[] = [];
  for (const file of files) {
    const source = await readFile(new URL(file, folder), "utf8");
    const found = source.match(/^(import|export) (?!type )[^;]*from "(@ai-sdk\/[^"]+)"/gm) ?? [];
    eager.push(...found);
  }
  expect(files).toContain("vendors/openai.ts");
  expect(eager).toEqual([]);
});
