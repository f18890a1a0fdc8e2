import type { Engine, EngineConfig, RegisteredTool, StartPlan } from "@tacklebox/core";

/** One reading of the words that name a tool. Without a server it is a name alone, as `tacklebox tools` shows it. */
export interface ToolName {
  readonly server?: string;
  readonly tool: string;
}

/** What the words on a command line may mean, likeliest first. */
export interface NamedTool {
  readonly readings: readonly [ToolName, ...ToolName[]];
  /** Set if a single word is also the name of a server. */
  readonly server: string | undefined;
}

const SEPARATORS = [".", ":", "/"];

/** Reads `SERVER TOOL`, `SERVER.TOOL` or `TOOL`. Both names may have dots: those of servers are known, and come first. */
export function readToolName(first: string, second: string | undefined, servers: readonly string[]): NamedTool {
  if (second !== undefined) return { readings: [{ server: first, tool: second }], server: undefined };
  if (servers.includes(first)) return { readings: [{ server: first, tool: first }], server: first };
  const owners = servers
    .filter((server) => SEPARATORS.some((separator) => first.startsWith(server + separator)))
    .toSorted((one, other) => other.length - one.length)
    .flatMap((server) => [
      { server, tool: first.slice(server.length + 1) },
      { server, tool: first },
    ]);
  const [likeliest, ...others] = owners;
  return { readings: likeliest === undefined ? [{ tool: first }] : [likeliest, ...others], server: undefined };
}

export function serverNamesOf({ servers, toolbox }: EngineConfig): readonly string[] {
  return [...servers.map(({ key }) => key), ...(toolbox.local.length > 0 ? ["local"] : [])];
}

/** Starts the server that is named. For a name alone, all of them, and the tool's own is waited for when it is known. */
export function planFor({ readings }: NamedTool): StartPlan {
  const [{ server }] = readings;
  if (server === undefined || readings.some((reading) => reading.server !== server)) return { kind: "join-later" };
  return { kind: "one-server", server };
}

export async function findNamedTool(
  { readings }: NamedTool,
  engine: Engine,
  signal: AbortSignal,
): Promise<RegisteredTool | undefined> {
  for (const { server, tool } of readings) {
    const found = await engine.tools.find(tool, { server, signal });
    if (found !== undefined) return found;
  }
  return undefined;
}
