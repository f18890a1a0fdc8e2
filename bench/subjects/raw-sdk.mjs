// @ts-check
import { driveCalls } from "../measure/drive-calls.mjs";
import { referenceLaunch, textOf } from "./everything.mjs";
import { loadPackage } from "./load-package.mjs";

const clientInfo = { name: "bench", version: "1.0.0" };

/**
 * Uses the MCP SDK as its guide shows, with nothing around it: over stdio, or over Streamable HTTP when a URL is given.
 *
 * @param {{ load: import("../measure/drive-calls.mjs").Load, url?: string }} options
 */
export async function run({ load, url }) {
  const { Client, StreamableHTTPClientTransport } = await loadPackage("@modelcontextprotocol/client");
  const { StdioClientTransport } = await loadPackage("@modelcontextprotocol/client/stdio");
  const client = new Client(clientInfo);
  await client.connect(
    url === undefined
      ? new StdioClientTransport({ ...referenceLaunch, stderr: "ignore" })
      : new StreamableHTTPClientTransport(new URL(url)),
  );
  const call = async (/** @type {string} */ message) =>
    textOf(await client.callTool({ name: "echo", arguments: { message } }));
  return driveCalls({ call, close: () => client.close() }, load);
}
