// @ts-check
// A model server that costs the measured process nothing, because it is a process of its own. It implements OpenAI's
// chat API: it answers the first request of a conversation with a call of `echo`, and one with a tool result with
// PIECES pieces of text, EVERY_MS apart. Each piece is the time at which it was written.
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";

const pieces = Number(process.env.PIECES);
const everyMs = Number(process.env.EVERY_MS);
const chunk = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "bench" };

/**
 * @param {object} delta
 * @param {string | null} finish
 */
function piece(delta, finish = null) {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ ...chunk, choices })}\n\n`;
}

const call = { index: 0, id: "call_1", type: "function", function: { name: "echo", arguments: '{"message":"hello"}' } };

const server = createServer((request, response) => void answer(request, response));

/**
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 */
async function answer(request, response) {
  const { messages } = JSON.parse(await text(request));
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (messages.at(-1).role !== "tool") {
    response.write(piece({ tool_calls: [call] }));
    response.end(`${piece({}, "tool_calls")}data: [DONE]\n\n`);
    return;
  }
  for (let sent = 0; sent < pieces; sent += 1) {
    response.write(piece({ content: `${performance.timeOrigin + performance.now()} ` }));
    if (everyMs > 0) await pause(everyMs);
  }
  response.end(`${piece({}, "stop")}data: [DONE]\n\n`);
}

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("A TCP server has a port.");
  process.stdout.write(`http://127.0.0.1:${address.port}/v1\n`);
});
