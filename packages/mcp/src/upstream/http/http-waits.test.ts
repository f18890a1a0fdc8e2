import { type Clock, systemClock } from "@tacklebox/core";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { callOf, clientInfo, connectionFailure, neverAborted, observe, remote } from "../testing/definitions.ts";
import { eventually } from "../testing/eventually.ts";
import { createHttpFixture } from "../testing/http-fixture.ts";
import { legacyServer, type RequestHandler, sendStatus, sseServer, startEvents } from "../testing/scripted-server.ts";
import { createHttpConnector } from "./http-connector.ts";
import { createNodeExchange } from "./node/node-exchange.ts";

const { connector, serve, open } = createHttpFixture({ afterEach, afterAll });

/** A clock whose waits end at once; it records how long they would have been. */
function impatientClock(): { clock: Clock; waits: number[] } {
  const waits: number[] = [];
  const after: Clock["after"] = (ms, task) => {
    waits.push(ms);
    return systemClock.after(0, task);
  };
  return { waits, clock: { ...systemClock, after, random: () => 0 } };
}

const exchange = createNodeExchange();
afterAll(() => exchange.close());

describe("Retry-After", () => {
  const busy = (status: number, retryAfter: string): RequestHandler => {
    return (_, response) => sendStatus(response, status, "", { "retry-after": retryAfter });
  };
  const inHalfAMinute = () => new Date(Date.now() + 30_000).toUTCString();

  it.each([429, 503])("of a %i is in the error of the call it ended", async (status) => {
    const server = await serve(legacyServer(busy(status, "30")));
    const connection = await connector.open(remote("streamable-http", server.url), observe().options, neverAborted());
    open.push(connection);
    const error = await connectionFailure(connection.callTool(callOf("x")).answer);
    expect([error.code, error.retryable, error.retryAfterMs]).toEqual(["unreachable", true, 30_000]);
    expect(error.message).toContain("(Retry-After: 30)");
  });

  it.each([
    [429, "http"],
    [503, "http"],
    [429, "streamable-http"],
    [503, "streamable-http"],
    [429, "sse"],
    [503, "sse"],
  ] as const)("of a %i is in the error of opening over %s, and no request is repeated", async (status, transport) => {
    const server = await serve(busy(status, "7"));
    const error = await connectionFailure(
      connector.open(remote(transport, server.url), observe().options, neverAborted()),
    );
    expect([error.code, error.retryable, error.retryAfterMs]).toEqual(["unreachable", true, 7000]);
    expect(error.message).toContain("(Retry-After: 7)");
    expect(server.received).toHaveLength(1);
  });

  it("may be a date", async () => {
    const server = await serve(legacyServer(busy(503, inHalfAMinute())));
    const connection = await connector.open(remote("http", server.url), observe().options, neverAborted());
    open.push(connection);
    const { retryAfterMs = 0 } = await connectionFailure(connection.callTool(callOf("x")).answer);
    expect(retryAfterMs).toBeGreaterThan(0);
    expect(retryAfterMs).toBeLessThanOrEqual(30_000);
  });

  it("of a refused POST is in the error of a call over SSE", async () => {
    const sse = sseServer();
    const server = await serve((received, response) => {
      if (received.message.method === "tools/call") return busy(429, "9")(received, response);
      sse(received, response);
    });
    const connection = await connector.open(remote("sse", server.url), observe().options, neverAborted());
    open.push(connection);
    expect((await connectionFailure(connection.callTool(callOf("x")).answer)).retryAfterMs).toBe(9000);
  });

  it("counts only for statuses that mean try later", async () => {
    const server = await serve(legacyServer(busy(500, "30")));
    const connection = await connector.open(remote("http", server.url), observe().options, neverAborted());
    open.push(connection);
    const error = await connectionFailure(connection.callTool(callOf("x")).answer);
    expect([error.code, error.retryAfterMs]).toEqual(["protocol-error", undefined]);
  });
});

describe("a server that keeps ending its streams", () => {
  it.each(["0", "99999999999", "12000"])(
    "is reconnected to after 1 s to 60 s, and less and less often, with retry: %s",
    async (retry) => {
      const legacy = legacyServer((_, response) => sendStatus(response, 500));
      const server = await serve((received, response) => {
        if (received.method !== "GET") return legacy(received, response);
        startEvents(response);
        response.end(`retry: ${retry}\n\n`);
      });
      const { clock, waits } = impatientClock();
      const impatient = createHttpConnector({ clientInfo, exchange, clock });
      open.push(await impatient.open(remote("streamable-http", server.url), observe().options, neverAborted()));
      await eventually(() => expect(waits.length).toBeGreaterThan(15));
      const asked = Math.min(Math.max(Number(retry), 1000), 60_000);
      expect(waits[0]).toBe(asked);
      for (const [index, wait] of waits.entries()) {
        expect(wait).toBeGreaterThanOrEqual(Math.max(asked, waits[index - 1] ?? 0));
        expect(wait).toBeLessThanOrEqual(60_000);
      }
      expect(waits[15]).toBeGreaterThan(50_000);
    },
  );

  it("is asked for the rest of an answer at most five times, less and less often", async () => {
    const legacy = legacyServer(({ message }, response) => {
      startEvents(response);
      response.end(`id: ${message.id}\nretry: 0\ndata:\n\n`);
    });
    const server = await serve((received, response) => {
      if (received.method !== "GET") return legacy(received, response);
      if (received.headers["last-event-id"] === undefined) return sendStatus(response, 405);
      startEvents(response);
      response.end("id: again\nretry: 0\ndata:\n\n");
    });
    const { clock, waits } = impatientClock();
    const impatient = createHttpConnector({ clientInfo, exchange, clock });
    const connection = await impatient.open(remote("streamable-http", server.url), observe().options, neverAborted());
    open.push(connection);
    expect((await connectionFailure(connection.callTool(callOf("x")).answer)).code).toBe("interrupted");
    expect(waits).toEqual([1000, 1500, 2250, 3375, 5062.5]);
  });
});
