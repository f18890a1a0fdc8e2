import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSqliteStore } from "../sqlite/index.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../testing/temporary-folder.ts";
import { testMembership } from "../testing/test-membership.ts";
import { openNodeVault } from "./node.ts";

const SOURCES = fileURLToPath(new URL("..", import.meta.url));
const DIST = fileURLToPath(new URL("../../dist", import.meta.url));

/**
 * Rotates, and kills itself right before or after the change with the given number. A change is a call of an fs
 * function that changes a file, or a change of a record. Prints how many there were if it survives.
 */
const CHILD = `
import fs from "node:fs/promises";
import { writeSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { openSqliteStore } from ${JSON.stringify(join(SOURCES, "sqlite/index.ts"))};
import { openNodeVault } from ${JSON.stringify(join(SOURCES, "vault/node.ts"))};

const [dataFolder, lastPoint] = process.argv.slice(2);
let passed = 0;
const point = () => {
  passed += 1;
  if (passed === Number(lastPoint)) process.kill(process.pid, "SIGKILL");
};
const withPoints = (work) => async function (...values) {
  point();
  const result = await work.apply(this, values);
  point();
  return result;
};

const store = await openSqliteStore({
  file: dataFolder + "/tacklebox.db", member: { id: "child-" + process.pid, host: "here", pid: process.pid },
  processes: { look: () => "alive", isOwnerAlive: () => true }, now: Date.now,
});
const handle = await fs.open(process.execPath);
const handles = Object.getPrototypeOf(handle);
await handle.close();
for (const name of ["writeFile", "sync", "close"]) handles[name] = withPoints(handles[name]);
for (const name of ["open", "rename", "rm"]) fs[name] = withPoints(fs[name]);
syncBuiltinESMExports();
const records = { ...store.secrets, save: withPoints(store.secrets.save) };
const keychain = () => Promise.reject(new Error("no keychain here"));
const { rewrapped } = await openNodeVault({ dataFolder, records, env: {}, now: Date.now, keychain }).rotate();
writeSync(1, rewrapped + " of " + passed);
await store.close();
`;

const NAMES = Array.from({ length: 2 }, (_, index) => `secret-${index}`);

describe("a rotation that is killed", () => {
  let program: string;

  beforeAll(async () => {
    await mkdir(DIST, { recursive: true });
    // Inside the package's folder, so that the built child finds the native libraries.
    program = await mkdtemp(join(DIST, "rotation-"));
    await writeFile(join(program, "source.mjs"), CHILD);
    const external = [/^@photostructure\//, /^@napi-rs\//, /^node:/];
    const bundle = await rolldown({ input: join(program, "source.mjs"), platform: "node", external });
    await bundle.write({ file: join(program, "child.mjs"), codeSplitting: false });
    await bundle.close();
  });

  afterAll(() => rm(program, { recursive: true, force: true }));

  async function rotateInChild(dataFolder: string, lastPoint: number): Promise<{ signal: unknown; said: string }> {
    const child = spawn(process.execPath, [join(program, "child.mjs"), dataFolder, String(lastPoint)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    child.stdout.on("data", (chunk) => {
      said += String(chunk);
    });
    const [, signal] = await once(child, "close");
    return { signal, said };
  }

  async function withVault<T>(
    dataFolder: string,
    use: (vault: ReturnType<typeof openNodeVault>) => Promise<T>,
  ): Promise<T> {
    const store = await openSqliteStore({
      file: join(dataFolder, "tacklebox.db"),
      ...testMembership("parent"),
    });
    const keychain = () => Promise.reject(new Error("no keychain here"));
    try {
      return await use(openNodeVault({ dataFolder, records: store.secrets, env: {}, now: () => 0, keychain }));
    } finally {
      await store.close();
    }
  }

  async function sampleVault(): Promise<TemporaryFolder> {
    const folder = await createTemporaryFolder();
    await withVault(folder.path, async (vault) => {
      for (const name of NAMES) await vault.put(name, `value of ${name}`);
    });
    return folder;
  }

  // By name: the WAL files of a closed store disappear whenever the garbage collector runs.
  async function copyVault(from: TemporaryFolder, to: TemporaryFolder): Promise<void> {
    for (const name of ["tacklebox.db", "vault.key"]) await copyFile(from.at(name), to.at(name));
  }

  async function afterKillAt(sample: TemporaryFolder, lastPoint: number): Promise<unknown> {
    await using folder = await createTemporaryFolder();
    await copyVault(sample, folder);
    const { signal } = await rotateInChild(folder.path, lastPoint);
    const readAll = (vault: ReturnType<typeof openNodeVault>) =>
      Promise.all(NAMES.map((name) => vault.use(name, (value) => value)));
    const readable = await withVault(folder.path, readAll);
    const { rewrapped } = await withVault(folder.path, (vault) => vault.rotate());
    const readableAgain = await withVault(folder.path, readAll);
    const { keys } = JSON.parse(await readFile(folder.at("vault.key"), "utf8"));
    return { signal, readable, rewrapped, readableAgain, keys: keys.length };
  }

  it("leaves every secret readable wherever it was interrupted, and the next one completes", async () => {
    await using sample = await sampleVault();
    await using whole = await createTemporaryFolder();
    await copyVault(sample, whole);
    const { said } = await rotateInChild(whole.path, 0);
    const [rewrapped, points] = said.split(" of ").map(Number);
    expect(rewrapped).toBe(NAMES.length);
    expect(points).toBeGreaterThanOrEqual(20);

    const values = NAMES.map((name) => `value of ${name}`);
    for (let point = 1; point <= (points ?? 0); point += 1) {
      expect(await afterKillAt(sample, point), `killed at point ${point}`).toEqual({
        signal: "SIGKILL",
        readable: values,
        rewrapped: NAMES.length,
        readableAgain: values,
        keys: 1,
      });
    }
  }, 600_000);
});
