// A program like ours, with ports that kill it at one named point; the product itself contains no failpoints.
// failpoint-host.mjs <point> <data file> <ledger file> <ledger server> <tool> <marker>
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import {
  type CallLog,
  type CallRecord,
  type Connector,
  createEngine,
  createKnownSecrets,
  DEFAULT_SEARCH,
  type ServerDefinition,
  systemClock,
  UNGOVERNED,
  webHasher,
} from "@tacklebox/core";
import { createStdioConnector } from "@tacklebox/mcp/node";
import { openSqliteStore } from "@tacklebox/storage/sqlite";
import { FAILPOINTS } from "./failpoints.ts";

const COMMIT_DELAY_MS = 300;

const [point, file = "", ledger = "", server = "", tool = "", marker = ""] = process.argv.slice(2);
const here = FAILPOINTS.find((known) => known === point);
if (here === undefined) throw new Error(`no such failpoint: ${point}`);

/** Never returns: the signal cannot be caught, and it is delivered before the call to kill returns. */
function die(): never {
  process.kill(process.pid, "SIGKILL");
  throw new Error("a killed process does not go on");
}

/**
 * Delays a commit first, so that code which fails to wait for it has time to send the call, or to answer, and is
 * caught.
 */
async function dieLater(): Promise<never> {
  await delay(COMMIT_DELAY_MS);
  return die();
}

function isEnded({ status }: CallRecord): boolean {
  return status === "success" || status === "error";
}

function killAround(calls: CallLog): CallLog {
  return {
    ...calls,
    async save(record) {
      if (here === "before the running row is committed" && record.status === "running") await dieLater();
      if (here === "before the end is committed" && isEnded(record)) await dieLater();
      await calls.save(record);
      if (here === "after the running row is committed" && record.status === "running") die();
      if (here === "after the end is committed" && isEnded(record)) die();
    },
  };
}

function killCalling(connector: Connector): Connector {
  return {
    ...connector,
    async open(definition, options, signal) {
      const connection = await connector.open(definition, options, signal);
      return {
        ...connection,
        callTool(call) {
          const calling = connection.callTool(call);
          if (here === "after the call is written") die();
          if (here === "while the server works") dieWhenNoted();
          return calling;
        },
      };
    },
  };
}

function dieWhenNoted(): void {
  if (readFileSync(ledger, "utf8").includes(marker)) die();
  setTimeout(dieWhenNoted, 1);
}

const store = await openSqliteStore({
  file,
  member: { id: String(process.pid), host: "here", pid: process.pid },
  processes: { look: () => (here === "in recovery" ? die() : "dead"), isOwnerAlive: () => false },
  now: Date.now,
});
const definition: ServerDefinition = {
  scope: "agent",
  key: "ledger",
  name: "ledger",
  launch: { transport: "stdio", command: process.execPath, args: [server], env: { LEDGER: ledger } },
  ...UNGOVERNED,
};
const host = createEngine(
  {
    servers: [definition],
    toolbox: {
      maxConcurrent: 4,
      maxWaitMs: 1_000,
      local: [],
      tools: [],
      collisions: "hide",
      keepsNames: true,
      writtenAs: "toolbox",
      localCollision: "local_wins",
      search: DEFAULT_SEARCH,
    },
  },
  {
    connectors: [
      killCalling(
        createStdioConnector({ clientInfo: { name: "failpoint-host", version: "1" }, environment: process.env }),
      ),
    ],
    store: { ...store, calls: killAround(store.calls) },
    validator: { check: async () => [] },
    hasher: webHasher,
    metrics: { toolUsed: () => undefined, callEnded: () => undefined },
    clock: systemClock,
    logger: { log: () => undefined },
    knownSecrets: createKnownSecrets(),
    newId: () => marker,
  },
);
await host.start();
const outcome = await host.engine.calls.make({ tool, arguments: { marker, ms: 60_000 } });
process.stdout.write(`${JSON.stringify(outcome.status)}\n`);
await host.stop();
await store.close();
