export { type ConfigProblem, formatConfigProblem } from "./config/config-problem.ts";
export type { Dialect } from "./config/dialect.ts";
export { type FromAcpEntries, fromAcpEntries, fromAcpEntry } from "./config/from-acp-entry.ts";
export { fromAppRecord } from "./config/from-app-record.ts";
export type { FromEntry } from "./config/from-entry.ts";
export { type ParsedConfig, parseConfig } from "./config/parse-config.ts";
export { formatDuration } from "./config/parse-duration.ts";
export * from "./domain/approval.ts";
export * from "./domain/call.ts";
export * from "./domain/connection.ts";
export * from "./domain/elicitation.ts";
export * from "./domain/engine.ts";
export * from "./domain/events.ts";
export * from "./domain/json.ts";
export { createKnownSecrets, type KnownSecrets } from "./domain/known-secrets.ts";
export * from "./domain/limits.ts";
export * from "./domain/prompt.ts";
export { createRedactor, type Redactor, redactJson, secretsOf } from "./domain/redact.ts";
export * from "./domain/resource.ts";
export { toResultText } from "./domain/result-text.ts";
export * from "./domain/server.ts";
export * from "./domain/tool.ts";
export { createEngine } from "./engine.ts";
export { headlessApprover } from "./platform/headless-approver.ts";
export { inlineValidator } from "./platform/inline-validator.ts";
export { systemClock } from "./platform/system-clock.ts";
export { webHasher } from "./platform/web-hasher.ts";
export type { Approver } from "./ports/approver.ts";
export type { Clock } from "./ports/clock.ts";
export type { CallInFlight, Connection, Connector, OpenOptions, OutgoingCall, RawToolList } from "./ports/connector.ts";
export type { Elicitor } from "./ports/elicitor.ts";
export type { Hasher } from "./ports/hasher.ts";
export type { Logger, LogLevel } from "./ports/logger.ts";
export type { Metrics } from "./ports/metrics.ts";
export type { Ports } from "./ports/ports.ts";
export type { Roots } from "./ports/roots.ts";
export type { ServerRecord, ServerRecords } from "./ports/server-records.ts";
export type { CallLog, Inventory, InventoryTool, ServerInventory, Store } from "./ports/store.ts";
export type { Validator } from "./ports/validator.ts";
export { SECRET_NAME, type SecretSummary, type Vault, VaultError, type VaultErrorCode } from "./ports/vault.ts";
export { MCPClientError, type MCPClientErrorCode } from "./rfc-009/client-error.ts";
export {
  createMCPClientService,
  type IMCPClientService,
  type MCPClientServiceParts,
} from "./rfc-009/client-service.ts";
export * from "./rfc-009/schemas.ts";
