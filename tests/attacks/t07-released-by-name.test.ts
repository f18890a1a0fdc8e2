import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fixtureServer, parsed } from "../support/toolbox-file.ts";
import { openFoundFolder } from "./found-folder.ts";

it("T07: a found config is given the variables it was agreed to name, and no overrides", async () => {
  const odd = fixtureServer("odd", { SHOWN: "${SHOWN_VARIABLE}" });
  const { run } = await openFoundFolder({ servers: { odd } });
  await run(["allow"]);
  const env = {
    SHOWN_VARIABLE: "given-away",
    OTHER_VARIABLE: "kept",
    TACKLEBOX__SERVERS__ODD__ENV__SMUGGLED: "meant-for-another-file",
  };
  const { stdout, stderr } = await run(["call", "odd", "env", "--json"], env);
  const { text } = parsed(stdout);
  expect(text).toContain('"SHOWN":"given-away"');
  expect(text).not.toMatch(/smuggled/i);
  expect(stderr).toContain("TACKLEBOX__SERVERS__ODD__ENV__SMUGGLED");
  expect(stderr).not.toContain("meant-for-another-file");
  const named = await run(["call", "odd", "env", "--json", "--config", "tacklebox.yaml"], env);
  expect(parsed(named.stdout).text).toMatch(/smuggled/i);
});

it("T07: a found config may use the secrets that its agreement names, and no others", async () => {
  const { run, data } = await openFoundFolder({
    servers: { web: { url: "http://127.0.0.1:9/mcp", headers: { Authorization: "Bearer ${secret:gh}" } } },
  });
  await run(["allow"]);
  const [name = ""] = await readdir(join(data, "agreements"));
  const record = join(data, "agreements", name);
  await writeFile(record, (await readFile(record, "utf8")).replace('"secrets":["gh"]', '"secrets":[]'));
  const { code, stderr } = await run(["check"]);
  expect(code).toBe(1);
  expect(stderr).toContain("uses secrets that you were not shown when you agreed to it: gh.");
});

it("T07: what is kept of an agreement holds no credential that stands in the file", async () => {
  const { run, data } = await openFoundFolder({
    servers: {
      a: {
        command: "x",
        args: [
          "--token",
          "canary-1-abcdef",
          "--header",
          "Authorization: Bearer canary-2-abcdef",
          "postgres://u:canary-3@h/d",
        ],
        env: { API_KEY: "canary-4-abcdef" },
      },
      b: {
        url: "https://u:canary-5@example.com/?api_key=canary-6-abcdef",
        headers: { "X-Api-Key": "canary-7-abcdef" },
      },
    },
    models: { m: { vendor: "openai", model: "x", api_key: "canary-8-abcdef" } },
  });
  expect((await run(["allow"])).code).toBe(0);
  const folder = join(data, "agreements");
  const records = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")));
  expect(records).toHaveLength(1);
  expect(records.join("")).not.toContain("canary-");
});
