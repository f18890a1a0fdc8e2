import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CommandEnvironment } from "../io.ts";
import { placeOfFile } from "./agreement/file-place.ts";
import { saveRecord } from "./agreement/records.ts";
import { demandsOf, toAllowed } from "./agreement/require-agreement.ts";
import { loadWithoutUnagreed } from "./load-optional-config.ts";

const CONTENT = "servers: { mine: { command: a } }\n";
let folder: string;
let file: string;
let environment: CommandEnvironment;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "tacklebox-optional-")));
  file = join(folder, "tacklebox.yaml");
  environment = { env: { TACKLEBOX_DATA: join(folder, "data") }, platform: "linux", home: folder, cwd: folder };
  writeFileSync(file, CONTENT);
});
afterEach(() => rmSync(folder, { recursive: true }));

async function agree(): Promise<void> {
  const bytes = Buffer.from(CONTENT);
  const shown = await demandsOf(file, bytes);
  if (shown.kind !== "ok") throw new Error("the file can be parsed");
  await saveRecord(toAllowed(await placeOfFile(file), bytes, shown.demands), environment);
}

async function load(from: CommandEnvironment) {
  const { loaded, leftOut } = await loadWithoutUnagreed(undefined, from);
  return { servers: loaded.kind === "ok" ? loaded.config.servers.map(({ key }) => key) : loaded.kind, leftOut };
}

describe("the config of a session in which nobody can be asked", () => {
  it("is the person's own where nobody agreed to that of the folder", async () => {
    const leftOut = [expect.stringContaining("you have not agreed to it")];
    expect(await load(environment)).toEqual({ servers: [], leftOut });
    mkdirSync(join(folder, ".config", "tacklebox"), { recursive: true });
    writeFileSync(join(folder, ".config", "tacklebox", "tacklebox.yaml"), "servers: { own: { command: b } }\n");
    expect(await load(environment)).toEqual({ servers: ["own"], leftOut });
    await agree();
    expect(await load(environment)).toEqual({ servers: ["mine"], leftOut: [] });
  });

  it("leaves out a file of the folder that cannot be read", async () => {
    rmSync(file);
    mkdirSync(file);
    expect(await load(environment)).toEqual({ servers: [], leftOut: [expect.stringContaining("it is a folder")] });
  });

  it("is what was agreed to even if the file is changed as soon as it was read", async () => {
    await agree();
    const changing = {
      ...environment,
      env: {
        // The data folder is looked up once the file was read.
        get TACKLEBOX_DATA() {
          writeFileSync(file, "servers: { evil: { command: c } }\n");
          return join(folder, "data");
        },
      },
    };
    expect(await load(changing)).toEqual({ servers: ["mine"], leftOut: [] });
  });
});
