// @ts-check
import { driveCalls } from "../measure/drive-calls.mjs";
import { referenceLaunch } from "./everything.mjs";
import { loadPackage } from "./load-package.mjs";

/** @param {{ load: import("../measure/drive-calls.mjs").Load }} options */
export async function run({ load }) {
  const { MultiServerMCPClient } = await loadPackage("@langchain/mcp-adapters");
  const client = new MultiServerMCPClient({
    mcpServers: { everything: { transport: "stdio", ...referenceLaunch, stderr: "ignore" } },
  });
  const tools = await client.getTools();
  const echo = tools.find((/** @type {{ name: string }} */ { name }) => name === "echo");
  const call = async (/** @type {string} */ message) => String(await echo.invoke({ message }));
  return driveCalls({ call, close: () => client.close() }, load);
}
