import { overOrStopped } from "../async/over-or-stopped.ts";
import type { StopSignal } from "../async/stop.ts";
import type { CallRequest } from "../domain/call.ts";
import type { RegisteredTool, Toolbox } from "../domain/tool.ts";
import type { Access } from "../servers/access.ts";
import type { FirstConnection } from "../servers/first-connections.ts";
import { beginsWith, findTool } from "../toolbox/find-tool.ts";

/** A caller's request, and the tools it may use as they are now. */
interface Wanted {
  readonly request: CallRequest;
  readonly access: Access;
  readonly toolbox: () => Toolbox;
  /** Set if a bare name means the tool that has it now, whoever is still coming. */
  readonly isForPresent?: boolean;
}

const NONE: readonly FirstConnection[] = [];

/**
 * The servers to wait for before a request can be understood, out of those that connect for the first time. None, unless
 * the request names such a server, or a tool that such a server has or may have.
 */
export function serversToWaitFor({ request, access, toolbox, isForPresent }: Wanted): readonly FirstConnection[] {
  const coming = access.coming();
  if (coming.length === 0) return NONE;
  const { server, tool } = request;
  if (server !== undefined) {
    const link = access.named(server)?.entry.link;
    return coming.filter(({ entry }) => entry.link === link);
  }
  const { tools, expected } = toolbox();
  const registered = tools.get(tool);
  if (registered === undefined) {
    const holder = expected.get(tool);
    if (holder === undefined) return coming;
    return coming.filter(({ entry: { definition } }) => isOf(holder, definition));
  }
  if (isForPresent || access.holds(registered) || access.isBeyondReach(registered.ref)) return NONE;
  return coming.filter(({ entry: { definition } }) => namesOfLastTime(access, definition) === undefined);
}

/** Waits until nothing that is still coming can change what the request means, or until it is stopped. */
export function waitForServers(wanted: Wanted, stop: StopSignal): Promise<void> {
  return waitWhileAny(() => serversToWaitFor(wanted), stop);
}

/** Waits for the tool that a person names, in any way of writing it, until nothing that is coming can have it. */
export function waitForTool(name: string, access: Access, stop: StopSignal): Promise<void> {
  return waitWhileAny(() => serversThatMayHave(name, access), stop);
}

/** Waits for a tool as a call of it would: what the name means now may still change while servers come. */
export async function waitForNamed(tool: string, server: string | undefined, access: Access, stop: StopSignal) {
  if (server === undefined) await waitForTool(tool, access, stop);
  if (server === undefined && !access.peek().tools.has(tool)) return;
  const request = { tool, arguments: {}, ...(server !== undefined && { server }) };
  await waitForServers({ request, access, toolbox: access.peek }, stop);
}

function serversThatMayHave(name: string, access: Access): readonly FirstConnection[] {
  const coming = access.coming();
  const toolbox = access.peek();
  if (coming.length === 0 || findTool(name, toolbox) !== undefined) return NONE;
  if ([...toolbox.serverNames].some((server) => beginsWith(server, name)))
    return coming.filter(({ entry }) => beginsWith(entry.definition.key, name));
  return serversToWaitFor({ request: { tool: name, arguments: {} }, access, toolbox: access.peek });
}

async function waitWhileAny(servers: () => readonly FirstConnection[], stop: StopSignal): Promise<void> {
  for (let awaited = servers(); awaited.length > 0 && !stop.aborted; awaited = servers())
    await overOrStopped(Promise.race(awaited.map(({ over }) => over)), stop);
}

interface ServerName {
  readonly scope: RegisteredTool["ref"]["scope"];
  readonly key: string;
}

function namesOfLastTime(access: Access, { scope, key }: ServerName): ReadonlySet<string> | undefined {
  const { catalog, servers } = access.setOf({ scope, server: key, name: "" });
  const entry = servers.find(scope, key);
  return entry === undefined ? undefined : catalog.namesOfLastTime(entry.definition);
}

function isOf({ ref }: RegisteredTool, { scope, key }: ServerName): boolean {
  return ref.scope === scope && ref.server === key;
}
