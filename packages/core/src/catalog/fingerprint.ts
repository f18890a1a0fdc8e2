import type { HttpTarget, Launch, ServerDefinition } from "../domain/server.ts";
import type { Tool } from "../domain/tool.ts";
import { canonicalJson } from "../json/json.ts";
import type { Hasher } from "../ports/hasher.ts";

/** Digests of what a person agrees to when they use a tool: how its server is launched and the whole definition. */
export function createFingerprinter(launch: Launch, hasher: Hasher): (tool: Tool) => Promise<string> {
  if (launch.transport === "custom") {
    const targets = new Map(launch.tools.map((tool) => [tool.name, tool]));
    // Each has an address of its own: what is changed about one must not withdraw what was agreed to about another.
    return ({ name, raw }) => {
      const target = targets.get(name);
      const launched = canonicalJson(target === undefined ? null : targetIdentity("custom", target));
      return hasher.sha256(`{"launch":${launched},"tool":${canonicalJson(raw)}}`);
    };
  }
  // The same for every tool of a server, and lists may have thousands.
  const launched = canonicalJson(launchIdentity(launch));
  return ({ raw }) => hasher.sha256(`{"launch":${launched},"tool":${canonicalJson(raw)}}`);
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
  if (launch.transport === "custom")
    return { transport: "custom", tools: launch.tools.map((tool) => [tool.name, targetIdentity("custom", tool)]) };
  return targetIdentity("remote", launch);
}

function targetIdentity(transport: "remote" | "custom", { url, headers }: HttpTarget): unknown {
  const { origin, pathname } = new URL(url);
  return { transport, url: origin + pathname, headers: Object.keys(headers).sort() };
}
