import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { allAlive, between, type Random, testMember } from "@tacklebox/core/testing";
import { openSqliteStore } from "@tacklebox/storage/sqlite";
import { verifyCallLog } from "@tacklebox/storage/sqlite/upkeep";
import { stringify } from "yaml";
import { processesWithMarker, until } from "../support/processes.ts";
import { releaseAfterwards } from "../support/release.ts";
import { fixtureServer } from "../support/toolbox-file.ts";
import { temporaryFolder, writeConfig } from "../support/workspace.ts";
import { Acknowledged, type History } from "./check-history.ts";
import { ledgerMarkers } from "./ledger-lines.ts";

/** When a run of the program is killed. */
export type KillMoment =
  | { readonly kind: "starting"; readonly afterMs: number }
  | { readonly kind: "started" }
  | { readonly kind: "answering"; readonly answers: number; readonly afterMs: number };

export interface LaneReport extends History {
  readonly kills: Readonly<Record<KillMoment["kind"], number>>;
}

const PROGRAM = fileURLToPath(new URL("../../apps/tacklebox/dist/main.js", import.meta.url));
const CALLS_PER_RUN = 60;
const TOOLS = ["fast", "fast", "fast", "fast", "slow", "slow", "fail", "late"] as const;

/**
 * Runs the program several times on one data folder. Each run is killed with SIGKILL at a random moment, except the
 * last, which ends normally. Every start but the first has to recover what the run before it left.
 */
export async function runLane(name: string, rounds: number, random: Random): Promise<LaneReport> {
  const folder = await temporaryFolder();
  const ledger = join(folder, "ledger.txt");
  const data = join(folder, "data");
  const config = await writeConfig(
    folder,
    "tacklebox.yaml",
    stringify({
      servers: { ledger: fixtureServer("ledger", { LEDGER: ledger }) },
      toolbox: { max_concurrent: 16, max_wait: "PT1M", tools: [{ name: "late", max_instances: 3, timeout: 0.05 }] },
    }),
  );
  const setup = { config, data, folder };
  const acknowledged: Acknowledged[] = [];
  const chainBreaks: string[] = [];
  const kills = { starting: 0, started: 0, answering: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const moment = chooseMoment(random);
    kills[moment.kind] += 1;
    const { stdout } = await runOnce(setup, callLines(`${name}-${round}`, random), moment);
    acknowledged.push(...parseOutcomes(stdout));
    chainBreaks.push(...(await findChainBreaks(data, `after round ${round}`)));
  }
  const last = await runOnce(setup, callLines(`${name}-last`, random), undefined);
  if (last.code !== 0) throw new Error(`the last run ended with ${last.code}: ${last.stderr}`);
  acknowledged.push(...parseOutcomes(last.stdout));
  await until(() => processesWithMarker(folder).length === 0, { describe: "every process of the lane to end" });
  chainBreaks.push(...(await findChainBreaks(data, "after the last run")));
  return { acknowledged, kills, chainBreaks, ledger: await ledgerMarkers(ledger), records: await readRecords(data) };
}

function chooseMoment(random: Random): KillMoment {
  const choice = random();
  if (choice < 0.25) return { kind: "starting", afterMs: between(random, 0, 400) };
  if (choice < 0.4) return { kind: "started" };
  return { kind: "answering", answers: between(random, 1, 45), afterMs: between(random, 0, 15) };
}

function callLines(prefix: string, random: Random): string {
  const lines = Array.from({ length: CALLS_PER_RUN }, (_, index) => {
    const marker = `${prefix}-${index}`;
    const tool = TOOLS[between(random, 0, TOOLS.length - 1)];
    const ms = tool === "late" ? between(random, 60, 120) : between(random, 1, 40);
    return JSON.stringify({ id: marker, server: "ledger", tool, arguments: { marker, ms } });
  });
  return `${lines.join("\n")}\n`;
}

interface ProgramSetup {
  readonly config: string;
  readonly data: string;
  readonly folder: string;
}

interface ProgramEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program once; without a `moment` to kill it, until it has answered everything. */
async function runOnce(
  { config, data, folder }: ProgramSetup,
  lines: string,
  moment: KillMoment | undefined,
): Promise<ProgramEnd> {
  const child = spawn(process.execPath, [PROGRAM, "call", "--stdin", "--config", config], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", HOME: folder, TACKLEBOX_DATA: data },
    stdio: "pipe",
  });
  const kill = () => void child.kill("SIGKILL");
  releaseAfterwards(async () => kill());
  let stdout = "";
  let stderr = "";
  let answers = 0;
  const ended = new Promise<ProgramEnd>((resolve) => {
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
  // Writing to a program that was just killed fails, which is expected.
  child.stdin.on("error", () => undefined);
  child.stdin.write(lines);
  if (moment === undefined) child.stdin.end();
  if (moment?.kind === "starting") setTimeout(kill, moment.afterMs);
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    if (moment?.kind === "started" && stderr.includes("Watching")) kill();
  });
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    const before = answers;
    answers += text.split("\n").length - 1;
    if (moment?.kind !== "answering" || before >= moment.answers || answers < moment.answers) return;
    if (moment.afterMs === 0) kill();
    else setTimeout(kill, moment.afterMs);
  });
  return ended;
}

/** Parses whole lines only: a line that was cut off does not acknowledge anything. */
function parseOutcomes(stdout: string): readonly Acknowledged[] {
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => Acknowledged.parse(JSON.parse(line)));
}

/** Looks at a copy, so that the next run still finds the log as the killed one left it. */
async function findChainBreaks(data: string, when: string): Promise<readonly string[]> {
  const log = join(data, "tacklebox.db");
  if (!existsSync(log)) return [];
  const file = join(await temporaryFolder(), "tacklebox.db");
  await copyFile(log, file);
  if (existsSync(`${log}-wal`)) await copyFile(`${log}-wal`, `${file}-wal`);
  const { broken } = await verifyCallLog({ file });
  return broken.map(({ text, call }) => `${when}: ${call?.id ?? ""} ${text}`);
}

async function readRecords(data: string): Promise<History["records"]> {
  const store = await openSqliteStore({
    file: join(data, "tacklebox.db"),
    member: testMember("check"),
    // Claims that every process is alive, because nothing may be left to recover.
    processes: allAlive,
    now: Date.now,
  });
  try {
    return await store.calls.list({ limit: Number.POSITIVE_INFINITY });
  } finally {
    await store.close();
  }
}
