import { type Engine, suggestion } from "@tacklebox/core";

export interface ToolQuestion {
  readonly tool: string;
  readonly server: string | undefined;
}

/** Says that no server has the tool, as far as that is known, and which one may have been meant. */
export async function describeUnknownTool(engine: Engine, { tool, server }: ToolQuestion): Promise<string> {
  const [tools, servers] = await Promise.all([engine.tools.list(), engine.servers.list()]);
  const own = tools.filter(({ ref }) => server === undefined || ref.server === server);
  const meant = suggestion(tool, [...new Set(own.flatMap(({ shownName, ref }) => [shownName, ref.name]))]);
  if (server !== undefined) return `Server "${server}" has no tool named "${tool}".${meant}`;
  const away = servers.filter(({ status }) => status !== "connected" && status !== "disabled");
  if (away.length === 0) return `No server has a tool named "${tool}".${meant}`;
  const names = away.map(({ name, status }) => `${name} (${status === "error" ? "down" : status})`).join(", ");
  return `No server that is connected has a tool named "${tool}".${meant} Not connected: ${names}.`;
}
