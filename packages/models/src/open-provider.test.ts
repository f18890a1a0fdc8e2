import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";

it("nothing loads the model SDK before the first request: it is imported as types, or when needed", async () => {
  const folder = new URL(".", import.meta.url);
  const files = (await readdir(folder)).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  const eager: string[] = [];
  for (const file of files) {
    const source = await readFile(new URL(file, folder), "utf8");
    const found = source.match(/^(import|export) (?!type )[^;]*from "(@ai-sdk\/[^"]+)"/gm) ?? [];
    eager.push(...found);
  }
  expect(files.length).toBeGreaterThan(10);
  expect(eager).toEqual([]);
});
