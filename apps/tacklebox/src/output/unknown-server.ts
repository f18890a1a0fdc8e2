import type { Engine } from "@tacklebox/core";

/** Returns a message if there is no server of this name; otherwise undefined. */
export async function describeUnknownServer(
  engine: Engine,
  name: string | undefined,
  configFile: string | undefined,
): Promise<string | undefined> {
  if (name === undefined) return undefined;
  const known = (await engine.servers.list()).map(({ key }) => key);
  if (known.includes(name)) return undefined;
  const where = configFile === undefined ? "" : `${configFile}\n`;
  return `${where}No server is named "${name}". Servers: ${known.length > 0 ? known.join(", ") : "none"}`;
}
