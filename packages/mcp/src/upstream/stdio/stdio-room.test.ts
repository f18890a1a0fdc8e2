import type { Connection } from "@tacklebox/core";
import { afterEach, describe, expect, it } from "vitest";
import { MAX_MESSAGE_BYTES } from "../protocol/message-size.ts";
import { createMessageRoom, LARGE_BYTES } from "../protocol/room/message-room.ts";
import { callOf, clientInfo, LEGACY_SCRIPT, neverAborted, observe, script } from "../testing/definitions.ts";
import { createStdioConnector } from "./stdio-connector.ts";

const open: Connection[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.close()));
});

/** Starts a server that has room for one large message, and that holds it for longer than a test takes. */
async function start(source: string) {
  const room = createMessageRoom({ bytes: MAX_MESSAGE_BYTES, maxHoldMs: 600_000 });
  const connector = createStdioConnector({ clientInfo, environment: process.env, room });
  const connection = await connector.open(script(LEGACY_SCRIPT + source), observe("legacy").options, neverAborted());
  open.push(connection);
  return { connection, room };
}

/** Sends a large message of the kind that the tool's name says, then a small answer. */
const LARGE_MESSAGES = `
  const deep = "[".repeat(600) + "]".repeat(600);
  const big = '"' + "x".repeat(2 * ${LARGE_BYTES}) + '"';
  const large = {
    "unreadable line": () => "x" + big,
    "message over the limit": () => '{"big":"' + "x".repeat(${MAX_MESSAGE_BYTES}) + '"}',
    "notification": () => '{"jsonrpc":"2.0","method":"x","params":{"big":' + big + '}}',
    "deep notification": () => '{"jsonrpc":"2.0","method":"x","params":{"big":' + big + ',"deep":' + deep + '}}',
    "question": () => '{"jsonrpc":"2.0","id":9,"method":"x","params":{"big":' + big + '}}',
    "deep question": () => '{"jsonrpc":"2.0","id":9,"method":"x","params":{"big":' + big + ',"deep":' + deep + '}}',
    "answer to no call": () => '{"jsonrpc":"2.0","id":"call-99-0","result":{"big":' + big + '}}',
    "progress": (id) => '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":' + id + ',"progress":1,"message":' + big + '}}',
    "deep answer": (id) => '{"jsonrpc":"2.0","id":' + id + ',"result":{"big":' + big + ',"deep":' + deep + '}}',
    "error": (id) => '{"jsonrpc":"2.0","id":' + id + ',"error":{"code":1,"message":' + big + '}}',
    "result with an error": (id) => '{"jsonrpc":"2.0","id":' + id + ',"result":{"big":' + big + '},"error":{"code":1,"message":"no"}}',
  };
  on["tools/call"] = (m) => {
    const text = large[m.params.name];
    if (text !== undefined) process.stdout.write(text(JSON.stringify(m.id)) + "\\n");
    send({ id: m.id, result: {} });
  };`;

describe("F10 the room of a large message", () => {
  it.each([
    "unreadable line",
    "message over the limit",
    "notification",
    "deep notification",
    "question",
    "deep question",
    "answer to no call",
    "progress",
    "deep answer",
    "error",
    "result with an error",
  ])("is given back at once if it is: %s", async (kind) => {
    const { connection, room } = await start(LARGE_MESSAGES);
    const onRoom = () => expect.fail("nobody needs this message");
    await connection.callTool({ ...callOf(kind), onRoom, onProgress: () => undefined }).answer.catch(() => undefined);
    await connection.callTool(callOf("small")).answer;
    expect(room.seat().grow(2 * LARGE_BYTES)).toBeUndefined();
  });

  it("is not waited for by the rest of an answer whose server has exited", async () => {
    const { connection, room } = await start(`
      import { writeSync } from "node:fs";
      const text = "x".repeat(${LARGE_BYTES + 100_000});
      on["tools/call"] = (m) => {
        const bytes = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: m.id, result: { content: [{ type: "text", text }] } }) + "\\n");
        for (let done = 0; done < bytes.length; )
          try { done += writeSync(1, bytes, done); } catch (error) { if (error.code !== "EAGAIN") throw error; }
        process.exit();
      };`);
    expect(room.seat().grow(2 * LARGE_BYTES)).toBeUndefined();
    const { content } = await connection.callTool(callOf("large")).answer;
    expect(content).toMatchObject([{ type: "text", text: expect.stringMatching(/^x{1000}/) }]);
  });
});
