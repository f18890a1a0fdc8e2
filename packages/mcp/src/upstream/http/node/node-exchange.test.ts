import type { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import zlib, { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { ConnectionError, systemClock } from "@tacklebox/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { MessageGate } from "../../protocol/pace/message-gate.ts";
import { neverAborted } from "../../testing/definitions.ts";
import { eventually } from "../../testing/eventually.ts";
import {
  listen,
  type RequestHandler,
  type ScriptedServer,
  sendStatus,
  startEvents,
} from "../../testing/scripted-server.ts";
import { createFetchExchange } from "../fetch-exchange.ts";
import { type HttpExchange, readText } from "../http-exchange.ts";
import { createSdkFetch } from "../sdk-fetch.ts";
import { createNodeExchange } from "./node-exchange.ts";

const servers: ScriptedServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(answer: RequestHandler): Promise<ScriptedServer> {
  const server = await listen(answer);
  servers.push(server);
  return server;
}

async function get(exchange: HttpExchange, url: string, signal = neverAborted()) {
  const reply = await exchange({ method: "GET", url, headers: {}, signal });
  return { status: reply.status, text: await readText(reply.body, 1000), type: reply.headers.get("Content-Type") };
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof ConnectionError ? error.code : `no ConnectionError: ${String(error)}`;
}

describe.each([
  ["node:http", createNodeExchange()],
  ["fetch", createFetchExchange()],
])("an exchange over %s", (_name, exchange: HttpExchange) => {
  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ])("decompresses %s", async (encoding, compress) => {
    const server = await serve((_, response) => {
      response.writeHead(200, { "content-encoding": encoding, "content-type": "text/plain" });
      response.end(compress("squeezed"));
    });
    expect(await get(exchange, server.url)).toEqual({ status: 200, text: "squeezed", type: "text/plain" });
  });

  it("stops reading at the limit, counted after decompression", async () => {
    const bomb = gzipSync("0".repeat(5_000_000));
    const server = await serve((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb));
    expect(await codeOf(get(exchange, server.url))).toBe("oversize");
  });

  it("follows redirects within the origin, at most five", async () => {
    const server = await serve(({ path }, response) => {
      const left = Number(path.slice(1));
      if (left === 0) return sendStatus(response, 200, "here");
      sendStatus(response, 302, "", { location: `/${left - 1}` });
    });
    expect((await get(exchange, `${server.url}/5`)).text).toBe("here");
    expect((await get(exchange, `${server.url}/6`)).status).toBe(302);
  });

  it("does not follow a redirect to another origin, nor one that would turn a POST into a GET", async () => {
    const other = await serve((_, response) => sendStatus(response, 200, "leaked"));
    const server = await serve((_, response) => sendStatus(response, 302, "", { location: other.url }));
    expect((await get(exchange, server.url)).status).toBe(302);
    const home = await serve((_, response) => sendStatus(response, 302, "", { location: "/elsewhere" }));
    const posted = await exchange({ method: "POST", url: home.url, headers: {}, body: "{}", signal: neverAborted() });
    expect(posted.status).toBe(302);
    expect(other.received).toEqual([]);
  });

  it("distinguishes requests that were never sent, that broke off, and that were aborted", async () => {
    const gone = await listen(() => {});
    await gone.close();
    expect(await codeOf(get(exchange, gone.url))).toBe("unreachable");
    const breaking = await serve((_, response) => response.destroy());
    expect(await codeOf(get(exchange, breaking.url))).toBe("interrupted");
    const half = await serve((_, response) => {
      startEvents(response);
      response.write("data", () => response.destroy());
    });
    expect(await codeOf(get(exchange, half.url))).toBe("interrupted");
    const endless = await serve((_, response) => startEvents(response));
    expect(await codeOf(get(exchange, endless.url, AbortSignal.timeout(30)))).toBe("cancelled");
    expect(await codeOf(get(exchange, endless.url, AbortSignal.abort()))).toBe("cancelled");
  });
});

describe("the exchange over node:http", () => {
  it("finds headers however they are written; of one sent twice, what Node makes of it", async () => {
    const server = await serve((_, response) => {
      const twice = ["www-authenticate", "Basic", "www-authenticate", "Bearer", "retry-after", "1", "retry-after", "2"];
      response.writeHead(200, ["X-Single", "one", ...twice, "set-cookie", "a=1", "set-cookie", "b=2"]).end();
    });
    const exchange = createNodeExchange();
    const { headers, body } = await exchange({ method: "GET", url: server.url, headers: {}, signal: neverAborted() });
    await readText(body, 1000);
    const names = ["x-single", "X-SINGLE", "WWW-Authenticate", "Retry-After", "set-cookie", "x-singl", "x-other"];
    expect(names.map((name) => headers.get(name))).toEqual([
      "one",
      "one",
      "Basic, Bearer",
      "1",
      "a=1, b=2",
      null,
      null,
    ]);
    expect(new Map(headers.entries()).get("www-authenticate")).toBe("Basic, Bearer");
  });

  it("reuses a connection hundreds of times without accumulating listeners", async () => {
    const warnings: string[] = [];
    const collect = (warning: Error) => void warnings.push(warning.name);
    process.on("warning", collect);
    const ports = new Set<number | undefined>();
    const server = await serve((_, response) => {
      ports.add(response.socket?.remotePort);
      sendStatus(response, 200, "ok");
    });
    const exchange = createNodeExchange();
    const signal = neverAborted();
    for (let i = 0; i < 300; i += 1) await get(exchange, server.url, signal);
    exchange.close();
    process.off("warning", collect);
    expect(ports.size).toBe(1);
    expect(warnings).toEqual([]);
  });

  it.each([0, 1])(
    "sends nothing on a connection that the server has ended, with this many other idle ones: %s",
    async (which) => {
      const sockets = new Set<Socket>();
      const server = await serve((_, response) => {
        if (response.socket !== null) sockets.add(response.socket);
        sendStatus(response, 200, "ok");
      });
      const exchange = createNodeExchange();
      for (let turns = 2; turns < 6; turns += 1) {
        sockets.clear();
        await Promise.all([get(exchange, server.url), get(exchange, server.url)]);
        expect(sockets.size).toBe(2);
        [...sockets][which]?.destroy();
        // The end is read after the first reply; the connection counts as closed only some event loop turns later.
        for (let turn = 0; turn < turns; turn += 1) await setImmediate();
        await get(exchange, server.url);
      }
      exchange.close();
    },
  );
});

describe("the decompressor of a body over node:http", () => {
  it("is destroyed when the reader stops, and when the request is aborted", async () => {
    const inflating = vi.spyOn(zlib, "createGunzip");
    const bomb = gzipSync("0".repeat(5_000_000));
    const server = await serve(({ path }, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      if (path === "/bomb") response.end(bomb);
      else response.write(bomb.subarray(0, 12));
    });
    const exchange = createNodeExchange();
    expect(await codeOf(get(exchange, `${server.url}/bomb`))).toBe("oversize");
    const controller = new AbortController();
    const half = codeOf(get(exchange, `${server.url}/half`, controller.signal));
    await eventually(() => expect(inflating).toHaveBeenCalledTimes(2));
    controller.abort();
    expect(await half).toBe("cancelled");
    const streams = inflating.mock.results.map(({ value }) => value);
    await eventually(() => expect(streams.map(({ destroyed }) => destroyed)).toEqual([true, true]));
    inflating.mockRestore();
    exchange.close();
  });
});

describe("fetch over an exchange", () => {
  const gate = new MessageGate({ clock: systemClock, onFlood: () => undefined });
  const fetchOver = createSdkFetch(createNodeExchange(), gate);

  it("passes on status, headers and body, and cuts the body of an error", async () => {
    const server = await serve(({ headers }, response) => {
      if (headers["x-fail"] === undefined) return sendStatus(response, 200, '{"a":1}', { "x-a": "b" });
      sendStatus(response, 500, "e".repeat(10_000));
    });
    const fine = await fetchOver(new URL(server.url));
    expect([fine.status, fine.headers.get("x-a"), await fine.json()]).toEqual([200, "b", { a: 1 }]);
    const failed = await fetchOver(server.url, { method: "POST", body: "{}", headers: { "x-fail": "1" } });
    expect([failed.status, (await failed.text()).length]).toEqual([500, 2048]);
    const empty = await serve((_, response) => sendStatus(response, 204));
    expect((await fetchOver(empty.url, { method: "DELETE" })).body).toBeNull();
    await expect(fetchOver(server.url, { method: "PUT" })).rejects.toThrow("MCP never sends PUT requests");
  });

  it("limits the size of one message, not of a stream of many", async () => {
    const line = "x".repeat(1024 * 1024);
    const server = await serve(({ path }, response) => {
      startEvents(response);
      for (let i = 0; i < 20; i += 1) response.write(path === "/many" ? `data: ${line}\r\n\r\n` : `data: ${line}\n`);
      response.end();
    });
    expect((await (await fetchOver(`${server.url}/many`)).text()).length).toBeGreaterThan(20 * line.length);
    await expect((await fetchOver(`${server.url}/one`)).text()).rejects.toMatchObject({ code: "oversize" });
  });
});
