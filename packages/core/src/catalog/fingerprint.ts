import { canonicalJson } from "../domain/json.ts";
import type { Launch, ServerDefinition } from "../domain/server.ts";
import type { Tool } from "../domain/tool.ts";
import type { Hasher } from "../ports/hasher.ts";

/** Digest of what a person agrees to when they use a tool: how its server is launched and the whole definition. */
export function fingerprintTool(launch: Launch, tool: Tool, hasher: Hasher): Promise<string> {
  return hasher.sha256(canonicalJson({ launch: launchIdentity(launch), tool: tool.raw }));
}

/** Names a server in the inventory. Two configs may each have a `files` of their own; what one saw says nothing of the other. */
export async function inventoryKey({ key, launch }: ServerDefinition, hasher: Hasher): Promise<string> {
  const digest = await hasher.sha256(canonicalJson(launchIdentity(launch)));
  return `${key}@${digest.slice(0, 16)}`;
}

// Values of env and headers stay out: a rotated token is not a different server, and a digest of one could be guessed at.
function launchIdentity(launch: Launch): unknown {
  if (launch.transport === "local") return { transport: "local" };
  if (launch.transport === "stdio") {
    const { command, args, env, cwd } = launch;
    return { transport: "stdio", command, args, cwd, env: Object.keys(env).sort() };
  }
  const { origin, pathname } = new URL(launch.url);
  return { transport: "remote", url: origin + pathname, headers: Object.keys(launch.headers).sort() };
}
