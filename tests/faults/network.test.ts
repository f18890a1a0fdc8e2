import { beforeAll, describe, expect } from "vitest";
import { until } from "../support/processes.ts";
import { fault } from "./fault.ts";
import { type FaultHttp, type FaultProgram, startFaultHttp, startFaultProgram } from "./fault-program.ts";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";

/**
 * Long enough for connecting and a ping to succeed on a busy machine; the calls meant to time out would last for ever.
 */
const shortTimeouts = { timeout: 5, default_tool_config: { timeout: 2 } };
const ROWS = ["refused", "reset", "halfopen", "drip"] as const;
type Row = (typeof ROWS)[number];

let web: FaultHttp;
let program: FaultProgram;
let proxies: Readonly<Record<Row, TcpProxy>>;

beforeAll(async () => {
  web = await startFaultHttp();
  const { origin } = web;
  proxies = {
    refused: await startTcpProxy(origin),
    reset: await startTcpProxy(origin),
    halfopen: await startTcpProxy(origin),
    drip: await startTcpProxy(origin),
  };
  program = await startFaultProgram({
    servers: Object.fromEntries(ROWS.map((row) => [row, { url: `${proxies[row].origin}/${row}`, ...shortTimeouts }])),
  });
  await Promise.all(ROWS.map((row) => program.untilWorks(row)));
});

/** Returns how many calls of ping reached the server itself. */
async function pings(row: Row): Promise<number> {
  return (await web.seen(`/${row}`)).calls.ping ?? 0;
}

describe.concurrent("a network that goes wrong", () => {
  fault(
    {
      id: "refused",
      fault: "the connection is refused",
      promised: "unreachable, nothing sent; works again when the server is back",
    },
    async (seen) => {
      await proxies.refused.refuse();
      const sent = await pings("refused");
      // The first call may still use a kept-alive connection that has just been closed.
      await program.call("refused", "ping");
      const [outcome] = await Promise.all([program.call("refused", "ping"), program.steady()]);
      expect(outcome.ending).toBe("unreachable");
      expect(outcome.text).toContain("ECONNREFUSED");
      expect(await pings("refused")).toBe(sent);
      await proxies.refused.heal();
      await program.untilWorks("refused");
      seen("unreachable (ECONNREFUSED), healed");
    },
  );

  fault(
    {
      id: "rst-connection",
      fault: "every connection is reset as soon as it opens",
      promised: "interrupted or unreachable, the call reaches the server at most once; works again afterwards",
    },
    async (seen) => {
      proxies.reset.setMode("reset");
      const sent = await pings("reset");
      const [outcome] = await Promise.all([program.call("reset", "ping"), program.steady()]);
      expect(["interrupted", "unreachable"]).toContain(outcome.ending);
      expect(await pings("reset")).toBe(sent);
      await proxies.reset.heal();
      await program.untilWorks("reset");
      seen(`${outcome.ending}, healed`);
    },
  );

  fault(
    {
      id: "half-open",
      fault: "the peer is gone without a word (half-open)",
      promised: "each call ends on its own clock, others go on; works again when healed",
    },
    async (seen) => {
      proxies.halfopen.setMode("blackhole");
      const calls = ["ping", "ping", "ping"].map((tool) => program.call("halfopen", tool));
      const [outcomes] = await Promise.all([Promise.all(calls), program.steady()]);
      expect(outcomes.map(({ ending }) => ending)).toEqual(["timed-out", "timed-out", "timed-out"]);
      // Three calls and their three cancellations; the one that may be left is the attempt to connect again.
      await until(() => proxies.halfopen.open() <= 1, { describe: "the dead connections to be given up" });
      await proxies.halfopen.heal();
      await program.untilWorks("halfopen");
      seen("timed-out, dead connections closed, healed");
    },
  );

  fault(
    {
      id: "slow-network",
      fault: "the reply arrives byte by byte",
      promised: "timed-out on the call's own clock; works again when healed",
    },
    async (seen) => {
      proxies.drip.setMode("drip");
      const [outcome] = await Promise.all([program.call("drip", "ping"), program.steady()]);
      expect(outcome.ending).toBe("timed-out");
      await proxies.drip.heal();
      await program.untilWorks("drip");
      seen("timed-out, healed");
    },
  );
});

describe("afterwards", () => {
  fault(
    {
      id: "network-after",
      fault: "the program ends after all of these",
      promised: "exit 0, no connection left, every call in the log as it was answered",
    },
    async (seen) => {
      await program.end();
      await until(() => ROWS.every((row) => proxies[row].open() === 0), { describe: "no connection to be left" });
      seen("nothing left, log complete");
    },
  );
});
