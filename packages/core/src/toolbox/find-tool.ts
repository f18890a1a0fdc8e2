import { type RegisteredTool, sameRef, type Toolbox } from "../domain/tool.ts";

/**
 * Finds a tool by its shown name, as `server:tool` or `server/tool`, or by the name its server gives it if only one
 * server has a tool of that name. A tool that was refused its name is not found by it: the name belongs to another tool,
 * even while that is not listed. Nor is a tool found by a name that reads like another server's, such as `files:read`.
 */
export function findTool(
  name: string,
  { tools, servers, serverNames, conflicts }: Toolbox,
): RegisteredTool | undefined {
  const shown = tools.get(name);
  if (shown !== undefined) return shown;
  for (const server of servers.keys()) {
    if (!beginsWith(server, name)) continue;
    const found = findToolOf(server, name.slice(server.length + 1), { tools, servers });
    if (found !== undefined) return found;
  }
  const namesakes = [...servers.values()].flatMap((own) => own.get(name) ?? []);
  const [only] = namesakes;
  if (only === undefined || namesakes.length > 1) return undefined;
  const isOfAnother = [...serverNames].some((server) => server !== only.ref.server && beginsWith(server, name));
  return isOfAnother || conflicts.some(({ ref }) => sameRef(ref, only.ref)) ? undefined : only;
}

/** Finds a tool of one server, by the name the server gives it or by its shown name. */
export function findToolOf(
  server: string,
  name: string,
  { tools, servers }: Pick<Toolbox, "tools" | "servers">,
): RegisteredTool | undefined {
  const shown = tools.get(name);
  return servers.get(server)?.get(name) ?? (shown?.ref.server === server ? shown : undefined);
}

/** A server's name may contain either separator, so the text is not split. */
export function beginsWith(server: string, name: string): boolean {
  return name.startsWith(`${server}:`) || name.startsWith(`${server}/`);
}
