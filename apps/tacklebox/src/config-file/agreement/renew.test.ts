import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createMemoryIo } from "../../testing/memory-io.ts";
import { loadFile } from "../load-config.ts";
import { placeOfFile } from "./file-place.ts";
import { saveRecord } from "./records.ts";
import { agreementTo, renewal } from "./renew.ts";
import { demandsOf, toAllowed } from "./require-agreement.ts";

let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "tacklebox-renew-")));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it("while a file is replaced, both contents are given what each of them names", async () => {
  const file = join(folder, "tacklebox.yaml");
  const io = createMemoryIo({ cwd: folder, env: { TACKLEBOX_DATA: join(folder, "data"), OLD: "o", NEW: "n" } });
  const contents = ["old", "new"].map((name) => {
    const header = `{ X-Key: "\${secret:${name}-key}", X-Name: "\${${name.toUpperCase()}}" }`;
    return Buffer.from(`servers: { ${name}: { url: "https://example.com/mcp", headers: ${header} } }\n`);
  });
  const [old = Buffer.alloc(0), fresh = Buffer.alloc(0)] = contents;
  await writeFile(file, old);
  const shown = await demandsOf(file, old);
  if (shown.kind !== "ok") throw new Error("the file can be parsed");
  await saveRecord(toAllowed(await placeOfFile(file), old, shown.demands), io);

  const { starts, ended } = renewal(file, await agreementTo(file, old, io), io, async (fault) => {
    throw new Error(fault);
  });
  const load = () => loadFile({ kind: "found", file, origin: "current-folder" }, io, undefined);
  await starts(fresh);
  expect(await load()).toMatchObject({ kind: "ok" });
  await writeFile(file, fresh);
  expect(await load()).toMatchObject({ kind: "ok" });
  await ended();
  expect(await load()).toMatchObject({ kind: "ok" });
  await writeFile(file, old);
  expect(await load()).toMatchObject({ kind: "unagreed" });
});
