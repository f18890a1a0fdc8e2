// @ts-check
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { median, ratios } from "../report/arithmetic.mjs";
import { inUnit } from "../report/table.mjs";
import { figures, runRounds } from "../run/rounds.mjs";
import { other, ours } from "../run/subject.mjs";
import { everything } from "../subjects/everything.mjs";

const CALLERS = 64;
const READY_WITHIN_MS = 20_000;
/** With a few hundred, a third of the CPU time measured afterwards is V8's compiler, in threads of its own. */
const WARM_UP = 4_000;

/**
 * Compares governed calls over Streamable HTTP with the bare SDK and its default fetch. The server is a separate
 * process.
 *
 * @param {import("./part.mjs").PartSettings} settings
 * @returns {Promise<import("../report/table.mjs").Row[]>}
 */
export async function run(settings) {
  const { quick, dataRoot } = settings;
  const load = { callers: CALLERS, warmUp: WARM_UP, calls: quick ? 2_000 : 4_000, singles: quick ? 100 : 300 };
  const server = await startServer();
  try {
    const { url } = server;
    const measured = await runRounds(
      [
        other("raw SDK over HTTP", "raw-sdk.mjs", { load, url }),
        ours("governed over HTTP", "calls", { load, dataRoot, durability: "full", url }),
      ],
      settings,
    );
    return rowsOf(measured);
  } finally {
    server.stop();
  }
}

/** @param {ReadonlyMap<string, import("../run/rounds.mjs").Measured>} measured */
function rowsOf(measured) {
  const compare = (/** @type {string} */ what, /** @type {string} */ figure, /** @type {string} */ unit) => {
    const mine = figures(measured, "governed over HTTP", figure);
    const raw = figures(measured, "raw SDK over HTTP", figure);
    return {
      what,
      ours: inUnit(median(mine), unit),
      reference: `${inUnit(median(raw), unit)} raw SDK`,
      values: ratios(mine, raw),
      unit: "x",
    };
  };
  /** @type {import("../report/table.mjs").Row} */
  const cpu = {
    ...compare(`HTTP, ${CALLERS} callers, FULL: CPU of the client per call`, "clientCpu", "µs"),
    target: { is: "at most", bound: 0.7, aim: 0.4 },
  };
  return [cpu, compare("HTTP, one caller, FULL: p50", "p50", "ms")];
}

async function startServer() {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const env = { ...process.env, PORT: String(port) };
  const child = spawn(process.execPath, [everything, "streamableHttp"], { env, stdio: "ignore" });
  const stop = () => child.kill("SIGKILL");
  const deadline = performance.now() + READY_WITHIN_MS;
  while (!(await answers(url))) {
    if (performance.now() > deadline || child.exitCode !== null) {
      stop();
      throw new Error(`The reference server did not answer at ${url} within ${READY_WITHIN_MS / 1000} s.`);
    }
    await wait(50);
  }
  return { url, stop };
}

/** @param {string} url */
async function answers(url) {
  try {
    await (await fetch(url)).text();
    return true;
  } catch {
    return false;
  }
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No free port was found.");
  return address.port;
}
