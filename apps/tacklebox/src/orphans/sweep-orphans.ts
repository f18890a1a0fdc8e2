import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { createProcessTable, type SystemFacts } from "../process-table.ts";

/** One file per running program that started servers: who it is. */
export function recordsFolder(dataFolder: string): string {
  return join(dataFolder, "processes");
}

/** After this time, the record of a program on another host, or of an earlier boot, is of no use to anyone. */
const FORGET_AFTER_MS = 7 * 24 * 60 * 60 * 1000;

interface Owner {
  readonly owner: string;
  readonly file: string;
  readonly state: "alive" | "dead" | "elsewhere";
}

/**
 * Ends the processes that were started by the servers of programs that were killed. Those of a program that still runs
 * are left alone, and so are those of another host or container, whose process ids mean nothing here.
 */
export async function sweepOrphans(dataFolder: string, facts: SystemFacts): Promise<void> {
  const folder = recordsFolder(dataFolder);
  const files = await readdir(folder).catch(() => []);
  if (files.length === 0) return;
  const owners = await Promise.all(files.map((name) => readOwner(folder, name, facts)));
  const dead = owners.filter((found) => found?.state === "dead").map((found) => found?.owner);
  if (dead.length > 0) {
    const { endCarriers } = await import("@tacklebox/mcp/orphans");
    await endCarriers((cookie) => dead.includes(cookie.slice(0, cookie.lastIndexOf("."))));
  }
  for (const found of owners) {
    if (found === undefined || found.state === "alive") continue;
    if (found.state === "dead" || (await isOld(found.file))) await rm(found.file, { force: true });
  }
}

async function readOwner(folder: string, name: string, facts: SystemFacts): Promise<Owner | undefined> {
  const owner = /^([\da-f-]{36})\.json$/.exec(name)?.[1];
  if (owner === undefined) return undefined;
  const file = join(folder, name);
  const record = parseRecord(await readFile(file, "utf8").catch(() => ""));
  // Being written right now, or cut off by a full disk: nothing is known about its program.
  if (record === undefined) return { owner, file, state: "elsewhere" };
  return { owner, file, state: createProcessTable(facts).look({ id: owner, ...record }) };
}

function parseRecord(text: string): { host: string; pid: number; start?: string } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || !("host" in value) || !("pid" in value)) return undefined;
  const { host, pid } = value;
  if (typeof host !== "string" || typeof pid !== "number") return undefined;
  const start = "start" in value && typeof value.start === "string" ? { start: value.start } : {};
  return { host, pid, ...start };
}

async function isOld(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > FORGET_AFTER_MS;
}
