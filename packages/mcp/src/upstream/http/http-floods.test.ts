import { afterAll, afterEach, describe, expect, it } from "vitest";
import { callOf, connectionFailure, neverAborted, observe, remote } from "../testing/definitions.ts";
import { type FloodServer, floods, startFloodServer } from "../testing/flood-server.ts";
import { createHttpFixture } from "../testing/http-fixture.ts";

const { connector, open } = createHttpFixture({ afterEach, afterAll });
const running: FloodServer[] = [];
afterEach(() => {
  for (const server of running.splice(0)) server.kill();
});

const MAX_GROWTH_BYTES = 150 * 1024 * 1024;

/** The peak growth of this process's memory during `work`; every test file has its own process. */
async function growthDuring(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 5);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return Math.max(most, process.memoryUsage.rss()) - before;
}

const codes = {
  gzip: "oversize",
  json: "oversize",
  pieces: "oversize",
  event: "oversize",
  error: "protocol-error",
} as const;

describe("a flood", () => {
  it.each(floods)("of kind %s ends one call, in bounded memory, while others go on", async (kind) => {
    const server = await startFloodServer();
    running.push(server);
    const observed = observe();
    const connection = await connector.open(remote("streamable-http", server.url), observed.options, neverAborted());
    open.push(connection);
    const growth = await growthDuring(async () => {
      const flooded = connectionFailure(connection.callTool(callOf(kind)).answer);
      const calls = Array.from({ length: 20 }, () => connection.callTool(callOf("fine")).answer);
      for (const answer of await Promise.all(calls)) expect(answer).toEqual({ content: [], isError: false });
      expect((await flooded).code).toBe(codes[kind]);
    });
    expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
    expect((await connection.callTool(callOf("fine")).answer).isError).toBe(false);
    expect(observed.closed).toEqual([]);
  });

  it.each(floods)("of kind %s ends the opening and the listing it answers, in bounded memory", async (kind) => {
    for (const method of ["initialize", "tools/list"]) {
      const server = await startFloodServer({ kind, method });
      running.push(server);
      const observed = observe();
      const growth = await growthDuring(async () => {
        const definition = { ...remote("streamable-http", server.url), protocol: "legacy" } as const;
        const opening = connector.open(definition, observed.options, neverAborted());
        const error = await connectionFailure(
          opening.then((connection) => {
            open.push(connection);
            return connection.listTools(neverAborted());
          }),
        );
        const expected = method === "initialize" && kind === "error" ? "unreachable" : codes[kind];
        expect([method, error.code]).toEqual([method, expected]);
      });
      expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
    }
  });
});
