// @ts-check
import { driveCalls } from "../measure/drive-calls.mjs";
import { referenceLaunch, textOf } from "./everything.mjs";
import { loadPackage } from "./load-package.mjs";

/** @param {{ load: import("../measure/drive-calls.mjs").Load }} options */
export async function run({ load }) {
  const { Client } = await loadPackage("@modelcontextprotocol/sdk/client/index.js");
  const { StdioClientTransport } = await loadPackage("@modelcontextprotocol/sdk/client/stdio.js");
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ ...referenceLaunch, stderr: "ignore" }));
  const call = async (/** @type {string} */ message) =>
    textOf(await client.callTool({ name: "echo", arguments: { message } }));
  return driveCalls({ call, close: () => client.close() }, load);
}
