// @ts-check
import { driveCalls } from "../measure/drive-calls.mjs";
import { referenceLaunch, textOf } from "./everything.mjs";
import { loadPackage } from "./load-package.mjs";

/** @param {{ load: import("../measure/drive-calls.mjs").Load }} options */
export async function run({ load }) {
  const { createMCPClient } = await loadPackage("@ai-sdk/mcp");
  const { Experimental_StdioMCPTransport: StdioTransport } = await loadPackage("@ai-sdk/mcp/mcp-stdio");
  const client = await createMCPClient({ transport: new StdioTransport({ ...referenceLaunch, stderr: "ignore" }) });
  const { echo } = await client.tools();
  const call = async (/** @type {string} */ message) =>
    textOf(await echo.execute({ message }, { toolCallId: message, messages: [] }));
  return driveCalls({ call, close: () => client.close() }, load);
}
