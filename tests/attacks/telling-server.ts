import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { nodeServer, type StdioEntry } from "../support/toolbox-file.ts";
import { temporaryFolder, writeConfig } from "../support/workspace.ts";

/** Repeats its arguments and environment wherever a server can say something, and dies with `--die` after saying them. */
const TELLING_SERVER = `
import { createInterface } from "node:readline";
const { HOME, PATH, ...env } = process.env;
const argv = process.argv.slice(2);
const all = [...argv, ...Object.values(env)].join(" | ");
process.stderr.write("started with " + all + "\\n");
if (argv.includes("--die")) process.exit(1);
const content = [
  { type: "text", text: all },
  { type: "text", text: JSON.stringify({ argv, env }) },
  { type: "text", text: Buffer.from("behind a text of any length: " + all).toString("base64") },
];
const structuredContent = { argv, env, pin: Number(env.PIN_TOKEN ?? 0), [all]: true };
const inputSchema = { type: "object", description: all, properties: { at: { type: "string", default: all } } };
const results = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {}, resources: {}, prompts: {} },
    serverInfo: { name: all, version: "1" },
    instructions: all,
  },
  "tools/list": { tools: [{ name: "tell", description: "Tells " + all, inputSchema }, { name: "fail", inputSchema }] },
  "resources/list": { resources: [{ uri: "x://" + encodeURIComponent(all), name: all }] },
  "resources/templates/list": { resourceTemplates: [] },
  "resources/read": { contents: [{ uri: "x://one", text: all }] },
  "prompts/list": { prompts: [{ name: all, description: all }] },
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = method === "tools/call" && params.name === "tell" ? { content, structuredContent } : results[method];
  const error = { code: -32000, message: "no: " + all };
  console.log(JSON.stringify(result === undefined ? { jsonrpc: "2.0", id, error } : { jsonrpc: "2.0", id, result }));
}
`;

/** Returns a config entry for a server that repeats what it is given. */
export async function tellingServer(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<StdioEntry> {
  return { ...nodeServer(await writeConfig(await temporaryFolder(), "server.mjs", TELLING_SERVER), ...args), env };
}

/** Reads every file in a folder, such as the database and its write-ahead log. */
export async function bytesOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(files.map((file) => readFile(file, "latin1")))).join("\n");
}
