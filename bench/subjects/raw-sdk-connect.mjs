// @ts-check
import { readCpu } from "../measure/tree-cpu.mjs";
import { referenceLaunch } from "./everything.mjs";
import { loadPackage } from "./load-package.mjs";

/**
 * Connects `servers` clients of the SDK at once. Times count from the start of the process.
 *
 * @param {{ servers: number }} options
 */
export async function run({ servers }) {
  const { Client } = await loadPackage("@modelcontextprotocol/client");
  const { StdioClientTransport } = await loadPackage("@modelcontextprotocol/client/stdio");
  const clients = await Promise.all(
    Array.from({ length: servers }, async () => {
      const client = new Client({ name: "bench", version: "1.0.0" });
      await client.connect(new StdioClientTransport({ ...referenceLaunch, stderr: "ignore" }));
      return client;
    }),
  );
  const connected = performance.now();
  const { own, children } = readCpu();
  await Promise.all(clients.map((client) => client.close()));
  return { connected, cpu: (own + children) / 1000 };
}
