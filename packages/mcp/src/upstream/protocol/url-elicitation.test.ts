import type { ElicitationAnswer, OpenOptions } from "@tacklebox/core";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { callOf, connectionFailure, neverAborted, observe, remote } from "../testing/definitions.ts";
import { createHttpFixture } from "../testing/http-fixture.ts";
import { legacyServer, listen } from "../testing/scripted-server.ts";

const { connector, open, servers } = createHttpFixture({ afterEach, afterAll });

const page = { mode: "url", message: "Sign in first", url: "https://example.test/sign-in", elicitationId: "e1" };

/** A legacy server that refuses every call until URLs were opened, and a person with a fixed answer. */
async function start(data: unknown, answer?: ElicitationAnswer) {
  const server = await listen(
    legacyServer(({ message }, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const error = { code: -32042, message: "Sign in first", data };
      response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, error }));
    }),
  );
  servers.push(server);
  const asked: string[] = [];
  const elicit: NonNullable<OpenOptions["elicit"]> = async ({ message }) => {
    asked.push(message);
    return answer ?? { kind: "decline" };
  };
  const definition = { ...remote("streamable-http", server.url), protocol: "legacy" } as const;
  const options = observe(undefined, answer === undefined ? {} : { elicit }).options;
  const connection = await connector.open(definition, options, neverAborted());
  open.push(connection);
  const calls = () => server.received.filter(({ message }) => message.method === "tools/call").length;
  return { connection, asked, calls };
}

describe("a legacy server that wants URLs opened first", () => {
  it("T24 is called five times at most, however willing the person is", async () => {
    const { connection, asked, calls } = await start({ elicitations: [page] }, { kind: "accept", content: {} });
    const error = await connectionFailure(connection.callTool(callOf("pay")).answer);
    expect([error.code, error.message]).toEqual([
      "protocol-error",
      "The server wanted addresses opened 5 times without finishing the call.",
    ]);
    expect([asked.length, calls()]).toEqual([4, 5]);
  });

  it.each(["decline", "cancel"] as const)("is not called again when the person's answer is %s", async (kind) => {
    const { connection, asked, calls } = await start({ elicitations: [page] }, { kind });
    const call = connection.callTool(callOf("pay"));
    expect((await connectionFailure(call.answer)).message).toBe(
      "The server wants an address opened first, which was not agreed to; the call was not made again.",
    );
    expect(await call.finished).toBe("unknown");
    expect([asked, calls()]).toEqual([["Sign in first"], 1]);
  });

  it("T24 is not called again if no one can be asked, and the error says what it asked", async () => {
    const { connection, calls } = await start({ elicitations: [page] });
    expect((await connectionFailure(connection.callTool(callOf("pay")).answer)).message).toBe(
      'The server asks "Sign in first", and nobody can be asked here; the call was not made again.',
    );
    expect(calls()).toBe(1);
  });

  it("T10 asks no one about a URL that is not safe to open", async () => {
    const unsafe = { ...page, url: "file:///etc/passwd" };
    const { connection, asked, calls } = await start({ elicitations: [unsafe] }, { kind: "accept", content: {} });
    expect((await connectionFailure(connection.callTool(callOf("pay")).answer)).message).toBe(
      "The server asks for something that nobody should be asked; the call was not made again.",
    );
    expect([asked, calls()]).toEqual([[], 1]);
  });

  it.each([
    ["no data", undefined],
    ["no list", { elicitations: "all" }],
    ["a form, which is not allowed here", { elicitations: [{ ...page, mode: "form", requestedSchema: {} }] }],
  ])("is treated like any other error with %s", async (_name, data) => {
    const { connection, asked } = await start(data, { kind: "accept", content: {} });
    expect((await connectionFailure(connection.callTool(callOf("pay")).answer)).message).toBe(
      "MCP Error -32042: Sign in first",
    );
    expect(asked).toEqual([]);
  });
});
