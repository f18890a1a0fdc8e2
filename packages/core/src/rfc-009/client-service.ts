import { veiled } from "../call/veil.ts";
import type { ApprovalMode } from "../domain/approval.ts";
import type { ContentBlock } from "../domain/call.ts";
import type { ConnectionStatus } from "../domain/connection.ts";
import type { Engine } from "../engine.ts";
import type { JsonObject } from "../json/json.ts";
import type { ServerRecords } from "../ports/server-records.ts";
import type { Vault } from "../ports/vault.ts";
import { failedWith, MCPClientError } from "./client-error.ts";
import { createServerConnecting } from "./connect-servers.ts";
import { reportCalls } from "./report-calls.ts";
import { createSavedConfigs } from "./saved-configs.ts";
import {
  type MCPResource,
  type MCPServerCapabilities,
  type MCPServerConfig,
  MCPServerConfigSchema,
  type MCPTool,
  type MCPToolCall,
} from "./schemas.ts";
import { ownSecretNames } from "./seal-credentials.ts";
import { createStatuses } from "./statuses.ts";
import { toResource, toResourceText } from "./to-rfc.ts";

type Assigned = "id" | "createdAt" | "updatedAt";
/** A server config as callers write it: fields with defaults may be left out. */
type Written = Partial<Omit<MCPServerConfig, Assigned>>;

/**
 * The client service of RFC-009. Failures reject with MCPClientError, or VaultError if a credential cannot be stored.
 */
export interface IMCPClientService {
  /** The service assigns the record's id and times. Credentials are returned as references, never as values. */
  addServer(config: Written & Pick<MCPServerConfig, "name" | "transport">): Promise<MCPServerConfig>;
  /** Reconnects a connected server if its connection settings changed. Id and creation time stay. */
  updateServer(id: string, changes: Written): Promise<MCPServerConfig>;
  removeServer(id: string): Promise<void>;
  /** Leaves out records that no longer fit the schema; connecting to one reports what is wrong with it. */
  listServers(): Promise<MCPServerConfig[]>;
  /** Concurrent calls share one connection attempt. */
  connect(serverId: string): Promise<MCPServerCapabilities>;
  disconnect(serverId: string): Promise<void>;
  getConnectionStatus(serverId: string): ConnectionStatus;
  discoverTools(serverId: string): Promise<MCPTool[]>;
  /** Resolves to the result's content. A result that the server marks as an error is thrown with the server's text. */
  callTool(
    serverId: string,
    toolName: string,
    args: JsonObject,
    signal?: AbortSignal,
  ): Promise<readonly ContentBlock[]>;
  listResources(serverId: string): Promise<MCPResource[]>;
  readResource(serverId: string, uri: string): Promise<{ content: string; mimeType?: string }>;
  /** Returns a function that ends the subscription, as `onToolCall` does. */
  onConnectionChange(listener: (serverId: string, status: ConnectionStatus) => void): () => void;
  onToolCall(listener: (call: MCPToolCall) => void): () => void;
}

export interface MCPClientServiceDeps {
  readonly engine: Engine;
  readonly records: ServerRecords;
  readonly newId: () => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** If absent, credentials stay in the records as they were given. */
  readonly vault?: Vault;
  /** Defaults to `always-ask`. */
  readonly approvalMode?: ApprovalMode;
}

export function createMCPClientService(deps: MCPClientServiceDeps): IMCPClientService {
  const { engine, records, newId, vault, approvalMode = "always-ask" } = deps;
  const statuses = createStatuses(engine);
  const configs = createSavedConfigs(records, vault);
  const now = () => new Date(deps.now()).toISOString();
  const connecting = createServerConnecting({ engine, records, configs, statuses, now });

  function requireConnected(id: string): void {
    if (statuses.get(id) !== "connected") throw new MCPClientError("not-connected", "Not connected to server");
  }

  return {
    async addServer(written) {
      const time = now();
      const { config, definition } = await configs.save(
        { ...written, id: newId(), createdAt: time, updatedAt: time },
        [],
      );
      await engine.servers.add(definition);
      return config;
    },
    async updateServer(id, changes) {
      const before = await configs.load(id);
      const { createdAt } = before;
      const known = ownSecretNames(id, before);
      const { config, definition } = await configs.save(
        { ...before, ...changes, id, createdAt, updatedAt: now() },
        known,
      );
      const kept = ownSecretNames(id, config);
      await configs.forgetSecrets(known.filter((name) => !kept.includes(name)));
      const wasOpen = statuses.get(id) === "connected" || connecting.isConnecting(id);
      await engine.servers.add(definition);
      await connecting.settled(id);
      await statuses.refresh(id);
      if (wasOpen && config.enabled && statuses.get(id) !== "connected") await connecting.connect(id);
      return config;
    },
    async removeServer(id) {
      const record = await configs.load(id);
      await records.remove(id);
      await engine.servers.remove("app", id);
      await connecting.settled(id);
      await statuses.refresh(id);
      await configs.forgetSecrets(ownSecretNames(id, record));
    },
    async listServers() {
      return (await records.list()).flatMap((record) => MCPServerConfigSchema.safeParse(record).data ?? []);
    },
    connect: connecting.connect,
    async disconnect(id) {
      await configs.load(id);
      await engine.servers.disconnect(id);
      await connecting.settled(id);
      statuses.announce(id, "disconnected");
    },
    getConnectionStatus: statuses.get,
    async discoverTools(id) {
      requireConnected(id);
      return connecting.toolsOf(id);
    },
    async callTool(id, toolName, args, signal) {
      requireConnected(id);
      const request = { server: id, tool: toolName, arguments: args };
      const options = { approvalMode, attended: true, ...(signal !== undefined && { signal }) };
      const outcome = veiled(await engine.calls.make(request, options));
      if (outcome.status === "error") throw failedWith(outcome.failure);
      return outcome.result.content;
    },
    async listResources(id) {
      requireConnected(id);
      const [offers] = await engine.servers.offers(id);
      if (offers?.failure !== undefined) throw failedWith(offers.failure);
      return offers?.resources.map(toResource) ?? [];
    },
    async readResource(id, uri) {
      requireConnected(id);
      const answer = await engine.servers.readResource(id, uri);
      if (answer.kind === "failed") throw failedWith(answer.failure);
      return toResourceText(answer.value);
    },
    onConnectionChange: statuses.subscribe,
    onToolCall: (listener) => reportCalls(engine, listener),
  };
}
