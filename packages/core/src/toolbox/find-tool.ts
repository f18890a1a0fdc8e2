import type { RegisteredTool, Toolbox } from "../domain/tool.ts";

/**
 * Finds a tool by its shown name, as `server:tool` or `server/tool`, or by the name its server gives it if only one
 * server has a tool of that name.
 */
export function findTool(name: string, { tools, servers }: Toolbox): RegisteredTool | undefined {
  const shown = tools.get(name);
  if (shown !== undefined) return shown;
  for (const [server, own] of servers) {
    // A server's name may contain either separator, so the text is not split.
    if (!name.startsWith(`${server}:`) && !name.startsWith(`${server}/`)) continue;
    const rest = name.slice(server.length + 1);
    const other = tools.get(rest);
    const found = own.get(rest) ?? (other?.ref.server === server ? other : undefined);
    if (found !== undefined) return found;
  }
  const namesakes = [...servers.values()].flatMap((own) => own.get(name) ?? []);
  return namesakes.length === 1 ? namesakes[0] : undefined;
}
