import { expect, it } from "vitest";
import { problemOf } from "./check-line.ts";

const update = (value: object) =>
  JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update: value } });
const methodOf = (id: unknown) => (id === 1 ? "session/prompt" : undefined);

it.each([
  update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "hi" } }),
  '{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}',
  '{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no"}}',
])("a line of the protocol passes: %s", (line) => {
  expect(problemOf(line, methodOf)).toBeUndefined();
});

it.each([
  ["{}", "not JSON-RPC 2.0"],
  ["noise", "not JSON-RPC 2.0"],
  ['{"jsonrpc":"2.0","method":"session/chat","params":{}}', "no such method"],
  [update({ sessionUpdate: "agent_message_chunk", content: { type: "text" } }), "not a SessionNotification"],
  [update({ sessionUpdate: "smoke_signal" }), "not a SessionNotification"],
  [update({ sessionUpdate: "tool_call", title: "t" }), "not a SessionNotification"],
  ['{"jsonrpc":"2.0","id":1,"result":{"stopReason":"bored"}}', "not a PromptResponse"],
  ['{"jsonrpc":"2.0","id":2,"result":{}}', "answers nothing that was asked"],
  ['{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}', "not a Error"],
])("any other does not: %s", (line, problem) => {
  expect(problemOf(line, methodOf)).toContain(problem);
});
