export { createToolSearch } from "./catalog/search/create-tool-search.ts";
export { parseStaticVectors, type StaticVectors } from "./catalog/search/static-vectors.ts";
export type { SearchableTool, SearchOptions, ToolMatch, ToolSearch } from "./catalog/search/tool-search.ts";
export { listen } from "./client/listen.ts";
export { loadConversation } from "./client/load-conversation.ts";
export { type StreamOptions, streamRun } from "./client/stream-run.ts";
export { blankComments } from "./config/blank-comments.ts";
export { type ConfigProblem, formatConfigProblem } from "./config/config-problem.ts";
export type { Dialect } from "./config/dialect.ts";
export { type FromAcpEntries, fromAcpEntries, fromAcpEntry } from "./config/from-acp-entry.ts";
export { fromAppRecord } from "./config/from-app-record.ts";
export type { FromEntry } from "./config/from-entry.ts";
export type { ImportProgram } from "./config/import/find-entries.ts";
export type { ImportDraft, ImportedSecret, ShownLaunch } from "./config/import/import-draft.ts";
export { type ImportedServers, importServers } from "./config/import/import-servers.ts";
export { moveSecretsOut } from "./config/import/move-secrets-out.ts";
export { type ParsedConfig, parseConfig } from "./config/parse-config.ts";
export { formatDuration } from "./config/parse-duration.ts";
export { NO_OFFERS } from "./connections/no-offers.ts";
export { createRest, type Rest } from "./connections/rest.ts";
export * from "./domain/approval.ts";
export * from "./domain/call.ts";
export * from "./domain/caller.ts";
export * from "./domain/connection.ts";
export * from "./domain/elicitation.ts";
export * from "./domain/engine.ts";
export * from "./domain/engine-host.ts";
export * from "./domain/events.ts";
export { type Answer, EngineError, FAILURE_CODES, type Failure, type FailureCode } from "./domain/failure.ts";
export * from "./domain/gpt.ts";
export * from "./domain/grant.ts";
export * from "./domain/json.ts";
export { createKnownSecrets, type KnownSecrets } from "./domain/known-secrets.ts";
export * from "./domain/limits.ts";
export * from "./domain/match.ts";
export * from "./domain/message.ts";
export * from "./domain/model.ts";
export type { Page } from "./domain/page.ts";
export { pause } from "./domain/pause.ts";
export * from "./domain/prompt.ts";
export * from "./domain/question.ts";
export { createRedactor, type Redactor, redactJson, secretsOf, secretsOfConfig } from "./domain/redact.ts";
export * from "./domain/resource.ts";
export { toResultText } from "./domain/result-text.ts";
export * from "./domain/run.ts";
export * from "./domain/run-end.ts";
export * from "./domain/search-settings.ts";
export type { SecretSummary } from "./domain/secret.ts";
export * from "./domain/selection.ts";
export * from "./domain/server.ts";
export * from "./domain/server-view.ts";
export * from "./domain/session.ts";
export { Slots } from "./domain/slots.ts";
export { Stop, type StopSignal, toAbortSignal } from "./domain/stop.ts";
export { StoreError, type StoreErrorCode } from "./domain/store-error.ts";
export { strikeOutTexts } from "./domain/strike-out-texts.ts";
export * from "./domain/tool.ts";
export { createEngine } from "./engine.ts";
export { headlessApprover } from "./platform/headless-approver.ts";
export { systemClock } from "./platform/system-clock.ts";
export { webHasher } from "./platform/web-hasher.ts";
export type { Approver } from "./ports/approver.ts";
export type { Clock } from "./ports/clock.ts";
export type {
  CallFinish,
  CallInFlight,
  Connection,
  Connector,
  OpenOptions,
  OutgoingCall,
  RawToolList,
} from "./ports/connector.ts";
export type { Hasher } from "./ports/hasher.ts";
export type { LoadWordVectors } from "./ports/load-word-vectors.ts";
export type { Logger, LogLevel } from "./ports/logger.ts";
export type { Metrics } from "./ports/metrics.ts";
export type { Model, ModelEvent, ModelRequest, Models, ModelTool, OpenModel, TurnEnd } from "./ports/model.ts";
export type { Ports } from "./ports/ports.ts";
export type { ServerRecord, ServerRecords } from "./ports/server-records.ts";
export type {
  CallLog,
  Embeddings,
  Gpts,
  Grants,
  Inventory,
  InventoryTool,
  PruneRule,
  ServerInventory,
  Sessions,
  SessionsQuery,
  Store,
} from "./ports/store.ts";
export type {
  StartValidationWorker,
  ValidationAnswer,
  ValidationJob,
  ValidationWorker,
  Validator,
} from "./ports/validator.ts";
export { SECRET_NAME, type Vault, VaultError, type VaultErrorCode } from "./ports/vault.ts";
export { createValidator, type OpenValidator } from "./validation/create-validator.ts";
export type { TextChannel } from "./wire/messages.ts";
export { createRemoteEngine, type RemoteEngine } from "./wire/remote-engine.ts";
export { serveEngine } from "./wire/serve-engine.ts";
