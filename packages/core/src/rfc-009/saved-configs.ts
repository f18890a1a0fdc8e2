import { fromAppRecord } from "../config/entries/from-app-record.ts";
import type { ServerDefinition } from "../domain/server.ts";
import type { JsonObject } from "../json/json.ts";
import type { ServerRecords } from "../ports/server-records.ts";
import type { Vault } from "../ports/vault.ts";
import { whyNotStored } from "../secrets/secret-length.ts";
import { MCPClientError } from "./client-error.ts";
import { type MCPServerConfig, MCPServerConfigSchema } from "./schemas.ts";
import { type Credential, sealCredentials } from "./seal-credentials.ts";

/** The app's saved server records. Their credentials are moved to the vault, if there is one. */
export interface SavedConfigs {
  /** Rejects with MCPClientError if there is no record with this id. */
  load(id: string): Promise<JsonObject>;
  /** Throws MCPClientError if the record does not describe a usable server. */
  toDefinition(record: unknown): ServerDefinition;
  /**
   * Stores the secrets before the record, which must never name a secret that does not exist. If the record cannot be
   * saved, its new secrets are forgotten again; `known` secrets stay, because the record it would replace names them.
   */
  save(written: object, known: readonly string[]): Promise<{ config: MCPServerConfig; definition: ServerDefinition }>;
  forgetSecrets(names: readonly string[]): Promise<void>;
}

export function createSavedConfigs(records: ServerRecords, vault: Vault | undefined): SavedConfigs {
  function toDefinition(record: unknown): ServerDefinition {
    const from = fromAppRecord(record, { secrets: vault === undefined ? "refused" : "allowed" });
    if (from.kind === "invalid") throw new MCPClientError("invalid-server", from.problems.join("\n"));
    return from.definition;
  }

  async function forgetSecrets(names: readonly string[]): Promise<void> {
    for (const name of names) await vault?.forget(name);
  }

  return {
    toDefinition,
    forgetSecrets,
    async load(id) {
      const record = await records.load(id);
      if (record === undefined) throw new MCPClientError("server-not-found", "Server not found");
      return record;
    },
    async save(written, known) {
      toDefinition(written);
      const whole = MCPServerConfigSchema.parse(written);
      const { config, credentials } = vault === undefined ? { config: whole, credentials: [] } : sealCredentials(whole);
      const refusal = whyNotSealed(whole, credentials);
      if (refusal !== undefined) throw new MCPClientError("invalid-server", refusal);
      const definition = toDefinition(config);
      for (const { name, value } of credentials) await vault?.put(name, value);
      try {
        await records.save(config);
      } catch (error) {
        await forgetSecrets(credentials.map(({ name }) => name).filter((name) => !known.includes(name)));
        throw error;
      }
      return { config, definition };
    },
  };
}

/** Refuses credentials too short to be redacted (F16). Elsewhere short values are mostly none, such as `X-Team: a`. */
function whyNotSealed({ authentication }: MCPServerConfig, credentials: readonly Credential[]): string | undefined {
  const members: readonly unknown[] = Object.values(authentication);
  const short = credentials.find(({ value }) => members.includes(value) && whyNotStored(value) !== undefined);
  return short === undefined ? undefined : `${short.name}: ${whyNotStored(short.value)}`;
}
