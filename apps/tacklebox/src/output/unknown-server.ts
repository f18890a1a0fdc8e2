import type { Engine } from "@tacklebox/core";

/** What to tell whoever named a server that the config does not have; undefined when it has. */
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
