import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COOKIE_VARIABLE } from "@tacklebox/mcp/orphans";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMember, readSystemFacts } from "../process-table.ts";
import { createServerProcesses } from "./server-processes.ts";
import { recordsFolder } from "./sweep-orphans.ts";

const facts = readSystemFacts();
const running: ChildProcess[] = [];
let data: string;

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "tacklebox-orphans-"));
});
afterEach(async () => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
  await rm(data, { recursive: true, force: true });
});

async function startCarrier(cookie: string): Promise<ChildProcess> {
  const child = spawn("sleep", ["60"], { env: { ...process.env, [COOKIE_VARIABLE]: cookie }, detached: true });
  running.push(child);
  await once(child, "spawn");
  return child;
}

/** Writes the record of a program, as that program would. */
async function record(owner: string, pid: number, changes: object = {}): Promise<string> {
  await mkdir(recordsFolder(data), { recursive: true });
  const file = join(recordsFolder(data), `${owner}.json`);
  await writeFile(file, JSON.stringify({ ...createMember(pid, owner, facts), ...changes }));
  return file;
}

const newOwner = () => crypto.randomUUID();
const isRunning = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null;

describe.runIf(process.platform === "linux")("what killed programs left behind", () => {
  it("is ended with the next start, and only that", async () => {
    const [dead, alive, reused, elsewhere] = [newOwner(), newOwner(), newOwner(), newOwner()];
    const gone = spawn("true");
    await once(gone, "exit");
    await record(dead, gone.pid ?? 0);
    await record(alive, process.pid);
    // The process id of a dead program, which another process has by now.
    await record(reused, process.pid, { start: "1" });
    const other = await record(elsewhere, 1, { host: "another machine" });
    const left = [await startCarrier(`${dead}.1`), await startCarrier(`${reused}.1`)];
    const kept = [await startCarrier(`${alive}.1`), await startCarrier(`${elsewhere}.1`)];
    const exits = left.map((child) => once(child, "exit"));
    await createServerProcesses(data, facts).swept;
    await Promise.all(exits);
    expect(kept.map(isRunning)).toEqual([true, true]);
    expect((await readdir(recordsFolder(data))).sort()).toEqual([`${alive}.json`, `${elsewhere}.json`].sort());
    const longAgo = new Date("2020-01-01");
    await utimes(other, longAgo, longAgo);
    await createServerProcesses(data, facts).swept;
    expect(existsSync(other)).toBe(false);
  });

  it("is not looked for by name alone: files that are no records are left alone", async () => {
    await mkdir(recordsFolder(data), { recursive: true });
    await writeFile(join(recordsFolder(data), "notes.txt"), "");
    await writeFile(join(recordsFolder(data), `${crypto.randomUUID()}.json`), '{"pid":');
    await createServerProcesses(data, facts).swept;
    expect(await readdir(recordsFolder(data))).toHaveLength(2);
  });
});

describe.runIf(process.platform === "linux")("what our own servers left behind", () => {
  it("is recorded before the first server starts, and ended at the end", async () => {
    const { cookies, close } = createServerProcesses(data, facts);
    expect(existsSync(recordsFolder(data))).toBe(false);
    const [first, second] = [cookies.next(), cookies.next()];
    expect(first).not.toBe(second);
    expect(await readdir(recordsFolder(data))).toHaveLength(1);
    const carrier = await startCarrier(second);
    const exit = once(carrier, "exit");
    await close();
    await exit;
    expect(await readdir(recordsFolder(data))).toEqual([]);
  });

  it("is ended soon after its server has, while others keep theirs", async () => {
    const { cookies, close } = createServerProcesses(data, facts);
    const [first, second] = [cookies.next(), cookies.next()];
    const [ended, kept] = [await startCarrier(first), await startCarrier(second)];
    const exit = once(ended, "exit");
    cookies.ended(first);
    // The timer alone does not keep a program running, so something else has to.
    const busy = setInterval(() => undefined, 1_000);
    await exit;
    clearInterval(busy);
    expect(isRunning(kept)).toBe(true);
    await close();
  });

  it("does not keep servers from starting when it cannot be recorded", async () => {
    await writeFile(recordsFolder(data), "not a folder");
    const { cookies, close } = createServerProcesses(data, facts);
    expect(cookies.next()).toMatch(/\.1$/);
    await close();
  });
});
