import { fromAppRecord } from "../config/entries/from-app-record.ts";
import type { ApprovalMode } from "../domain/approval.ts";
import type { ContentBlock } from "../domain/call.ts";
import type { ConnectionStatus } from "../domain/connection.ts";
import type { ServerDefinition } from "../domain/server.ts";
import type { Engine } from "../engine.ts";
import type { JsonObject } from "../json/json.ts";
import type { ServerRecords } from "../ports/server-records.ts";
import type { Vault } from "../ports/vault.ts";
import { failedWith, MCPClientError } from "./client-error.ts";
import {
  type MCPResource,
  type MCPServerCapabilities,
  type MCPServerConfig,
  MCPServerConfigSchema,
  type MCPTool,
  type MCPToolCall,
} from "./schemas.ts";
import { ownSecretNames, sealCredentials } from "./seal-credentials.ts";
import { createStatuses } from "./statuses.ts";
import { tellCalls } from "./tell-calls.ts";
import { toCapabilities, toResource, toResourceText, toTool } from "./to-rfc.ts";

type Assigned = "id" | "createdAt" | "updatedAt";
/** What callers write: defaults may be left out. */
type Written = Partial<Omit<MCPServerConfig, Assigned>>;

/** RFC-009's way in. Everything that fails rejects with MCPClientError, or VaultError when a credential cannot be kept. */
export interface IMCPClientService {
  /** The service gives the record its id and times. Credentials come back as references, never as values. */
  addServer(config: Written & Pick<MCPServerConfig, "name" | "transport">): Promise<MCPServerConfig>;
  /** A connected server is connected again when how to reach it changed. Id and creation time stay (T1.14). */
  updateServer(id: string, changes: Written): Promise<MCPServerConfig>;
  removeServer(id: string): Promise<void>;
  /** Records that no longer fit the schema are not listed; connecting to one says what is wrong with it. */
  listServers(): Promise<MCPServerConfig[]>;
  /** Concurrent calls share one attempt (T1.8). */
  connect(serverId: string): Promise<MCPServerCapabilities>;
  disconnect(serverId: string): Promise<void>;
  getConnectionStatus(serverId: string): ConnectionStatus;
  discoverTools(serverId: string): Promise<MCPTool[]>;
  /** The result's content. An answer the server itself marks as an error is thrown with the server's text (D.8). */
  callTool(
    serverId: string,
    toolName: string,
    args: JsonObject,
    signal?: AbortSignal,
  ): Promise<readonly ContentBlock[]>;
  listResources(serverId: string): Promise<MCPResource[]>;
  readResource(serverId: string, uri: string): Promise<{ content: string; mimeType?: string }>;
  /** These return the function that ends the subscription. */
  onConnectionChange(listener: (serverId: string, status: ConnectionStatus) => void): () => void;
  onToolCall(listener: (call: MCPToolCall) => void): () => void;
}

export interface MCPClientServiceParts {
  readonly engine: Engine;
  readonly records: ServerRecords;
  readonly newId: () => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Absent: credentials stay in the records as they were given. */
  readonly vault?: Vault;
  /** S1.49: people are asked unless this says otherwise. */
  readonly approvalMode?: ApprovalMode;
}

export function createMCPClientService(parts: MCPClientServiceParts): IMCPClientService {
  const { engine, records, newId, vault, approvalMode = "always-ask" } = parts;
  const statuses = createStatuses(engine);
  const connecting = new Map<string, Promise<MCPServerCapabilities>>();
  const now = () => new Date(parts.now()).toISOString();

  function toDefinition(record: unknown): ServerDefinition {
    const from = fromAppRecord(record, { secrets: vault === undefined ? "refused" : "allowed" });
    if (from.kind === "invalid") throw new MCPClientError("invalid-server", from.problems.join("\n"));
    return from.definition;
  }

  async function load(id: string): Promise<JsonObject> {
    const record = await records.load(id);
    if (record === undefined) throw new MCPClientError("server-not-found", "Server not found");
    return record;
  }

  /** Secrets first: a record must never name one that does not exist. One that cannot be saved leaves none behind. */
  async function save(written: object, known: readonly string[]) {
    toDefinition(written);
    const whole = MCPServerConfigSchema.parse(written);
    const { config, credentials } = vault === undefined ? { config: whole, credentials: [] } : sealCredentials(whole);
    const definition = toDefinition(config);
    for (const { name, value } of credentials) await vault?.put(name, value);
    try {
      await records.save(config);
    } catch (error) {
      await forget(credentials.map(({ name }) => name).filter((name) => !known.includes(name)));
      throw error;
    }
    return { config, definition };
  }

  async function forget(names: readonly string[]): Promise<void> {
    for (const name of names) await vault?.forget(name);
  }

  async function open(id: string): Promise<MCPServerCapabilities> {
    const record = await load(id);
    const name = typeof record.name === "string" ? record.name : id;
    if (record.enabled === false)
      throw new MCPClientError("server-disabled", `Server '${name}' is disabled. Enable it first`);
    try {
      await engine.servers.add(toDefinition(record));
      const answer = await engine.servers.connect(id);
      if (answer.kind === "failed") throw failedWith(answer.failure);
      return await discover(id);
    } catch (error) {
      statuses.fail(id);
      throw error;
    }
  }

  /** A server that cannot say what it offers is not left half connected (T1.8). */
  async function discover(id: string): Promise<MCPServerCapabilities> {
    try {
      const [offers] = await engine.servers.offers(id);
      if (offers?.failure !== undefined) throw failedWith(offers.failure);
      const capabilities = toCapabilities(await toolsOf(id), offers);
      const time = now();
      await records.save({ ...(await load(id)), id, lastConnectedAt: time, updatedAt: time });
      await statuses.refresh(id);
      return capabilities;
    } catch (error) {
      statuses.fail(id);
      await engine.servers.disconnect(id);
      throw error;
    }
  }

  function connect(id: string): Promise<MCPServerCapabilities> {
    const known = connecting.get(id);
    if (known !== undefined) return known.then(structuredClone<MCPServerCapabilities>);
    const release = statuses.holdConnected(id);
    const attempt = open(id).finally(() => {
      connecting.delete(id);
      release();
    });
    connecting.set(id, attempt);
    return attempt.then(structuredClone<MCPServerCapabilities>);
  }

  /** An attempt to connect that the engine was told to give up has come to its end. */
  async function settled(id: string): Promise<void> {
    await connecting.get(id)?.catch(() => undefined);
  }

  async function toolsOf(id: string): Promise<MCPTool[]> {
    const tools = await engine.tools.list();
    return tools.filter(({ ref }) => ref.scope === "app" && ref.server === id).map(toTool);
  }

  function requireConnected(id: string): void {
    if (statuses.get(id) !== "connected") throw new MCPClientError("not-connected", "Not connected to server");
  }

  return {
    async addServer(written) {
      const time = now();
      const { config, definition } = await save({ ...written, id: newId(), createdAt: time, updatedAt: time }, []);
      await engine.servers.add(definition);
      return config;
    },
    async updateServer(id, changes) {
      const before = await load(id);
      const { createdAt } = before;
      const known = ownSecretNames(id, before);
      const { config, definition } = await save({ ...before, ...changes, id, createdAt, updatedAt: now() }, known);
      const kept = ownSecretNames(id, config);
      await forget(known.filter((name) => !kept.includes(name)));
      const wasOpen = statuses.get(id) === "connected" || connecting.has(id);
      await engine.servers.add(definition);
      await settled(id);
      await statuses.refresh(id);
      if (wasOpen && config.enabled && statuses.get(id) !== "connected") await connect(id);
      return config;
    },
    async removeServer(id) {
      const record = await load(id);
      await records.remove(id);
      await engine.servers.remove("app", id);
      await settled(id);
      await statuses.refresh(id);
      await forget(ownSecretNames(id, record));
    },
    async listServers() {
      return (await records.list()).flatMap((record) => MCPServerConfigSchema.safeParse(record).data ?? []);
    },
    connect,
    async disconnect(id) {
      await load(id);
      await engine.servers.disconnect(id);
      await settled(id);
      statuses.say(id, "disconnected");
    },
    getConnectionStatus: statuses.get,
    async discoverTools(id) {
      requireConnected(id);
      return toolsOf(id);
    },
    async callTool(id, toolName, args, signal) {
      requireConnected(id);
      const request = { server: id, tool: toolName, arguments: args };
      const outcome = await engine.calls.make(request, {
        approvalMode,
        attended: true,
        ...(signal !== undefined && { signal }),
      });
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
    onToolCall: (listener) => tellCalls(engine, listener),
  };
}
