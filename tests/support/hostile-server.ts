import { nodeServer, type StdioEntry } from "./toolbox-file.ts";
import { temporaryFolder, writeConfig } from "./workspace.ts";

/** Colours, a window title, a bell, right-to-left text, invisible text, a C1 control and an overwritten line. */
export const HOSTILE =
  "\u001b[35mEVIL\u001b]0;owned\u0007 \u202eesrever\u2066 \u200b\u{e0041} \u009b35m safe\rtrap\nnext";

/** Characters that must never reach a terminal, after our own sequences are removed. */
export const DECEIVING = /[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069\u200b-\u200f\u{e0000}-\u{e007f}]/u;

/** Sends the hostile text wherever a server can send text. */
const HOSTILE_SERVER = `
import { createInterface } from "node:readline";
const hostile = ${JSON.stringify(HOSTILE)};
process.stderr.write(hostile + "\\n");
if (process.argv[2] === "die") process.exit(1);
const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
const inputSchema = { type: "object" };
const results = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: hostile, version: hostile },
    instructions: hostile,
  },
  "tools/list": {
    tools: ["look", "fail", "refuse", "crash", hostile].map((name) => ({ name, title: hostile, description: hostile, inputSchema })),
  },
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const progressToken = params?._meta?.progressToken;
  if (progressToken !== undefined)
    send({ method: "notifications/progress", params: { progressToken, progress: 1, message: hostile } });
  if (params?.name === "crash") {
    process.stderr.write(hostile + "\\n");
    process.exit(1);
  }
  const isCall = method === "tools/call" && params.name !== "refuse";
  const result = isCall
    ? { content: [{ type: "text", text: hostile }], isError: params.name === "fail" }
    : results[method];
  send(result === undefined ? { id, error: { code: -32601, message: hostile } } : { id, result });
}
`;

/** Returns a config entry for the hostile server. With `die` it writes the text and ends before it serves. */
export async function hostileServer(...args: readonly "die"[]): Promise<StdioEntry> {
  return nodeServer(await writeConfig(await temporaryFolder(), "server.mjs", HOSTILE_SERVER), ...args);
}
