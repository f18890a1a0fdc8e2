import type { Engine } from "../engine.ts";
import type { ServerRecords } from "../ports/server-records.ts";
import { failedWith, MCPClientError } from "./client-error.ts";
import type { SavedConfigs } from "./saved-configs.ts";
import type { MCPServerCapabilities, MCPTool } from "./schemas.ts";
import type { Statuses } from "./statuses.ts";
import { toCapabilities, toTool } from "./to-rfc.ts";

/** Connects the app's servers; a server counts as connected once it has listed what it offers. */
export interface ServerConnecting {
  /** Concurrent calls share one attempt, but each gets its own copy of the result. */
  connect(id: string): Promise<MCPServerCapabilities>;
  isConnecting(id: string): boolean;
  /** Resolves when the server's current connection attempt, if any, has ended. */
  settled(id: string): Promise<void>;
  toolsOf(id: string): Promise<MCPTool[]>;
}

export interface ServerConnectingDeps {
  readonly engine: Engine;
  readonly records: ServerRecords;
  readonly configs: SavedConfigs;
  readonly statuses: Statuses;
  /** The current time in ISO 8601. */
  readonly now: () => string;
}

export function createServerConnecting(deps: ServerConnectingDeps): ServerConnecting {
  const { engine, records, configs, statuses, now } = deps;
  const connecting = new Map<string, Promise<MCPServerCapabilities>>();

  async function open(id: string): Promise<MCPServerCapabilities> {
    const record = await configs.load(id);
    const name = typeof record.name === "string" ? record.name : id;
    if (record.enabled === false)
      throw new MCPClientError("server-disabled", `Server '${name}' is disabled. Enable it first`);
    try {
      await engine.servers.add(configs.toDefinition(record));
      const answer = await engine.servers.connect(id);
      if (answer.kind === "failed") throw failedWith(answer.failure);
      return await discover(id);
    } catch (error) {
      statuses.fail(id);
      throw error;
    }
  }

  /** Lists what a server offers. A server that cannot list it is disconnected rather than left half connected. */
  async function discover(id: string): Promise<MCPServerCapabilities> {
    try {
      const [offers] = await engine.servers.offers(id);
      if (offers?.failure !== undefined) throw failedWith(offers.failure);
      const capabilities = toCapabilities(await toolsOf(id), offers);
      const time = now();
      await records.save({ ...(await configs.load(id)), id, lastConnectedAt: time, updatedAt: time });
      await statuses.refresh(id);
      return capabilities;
    } catch (error) {
      statuses.fail(id);
      await engine.servers.disconnect(id);
      throw error;
    }
  }

  async function toolsOf(id: string): Promise<MCPTool[]> {
    const tools = await engine.tools.list();
    return tools.filter(({ ref }) => ref.scope === "app" && ref.server === id).map(toTool);
  }

  return {
    toolsOf,
    isConnecting: (id) => connecting.has(id),
    connect(id) {
      const known = connecting.get(id);
      if (known !== undefined) return known.then(structuredClone<MCPServerCapabilities>);
      const release = statuses.holdConnected(id);
      const attempt = open(id).finally(() => {
        connecting.delete(id);
        release();
      });
      connecting.set(id, attempt);
      return attempt.then(structuredClone<MCPServerCapabilities>);
    },
    async settled(id) {
      await connecting.get(id)?.catch(() => undefined);
    },
  };
}
