export { delay } from "./async/delay.ts";
export { FreeList } from "./async/free-list.ts";
export { Stop, type StopSignal, toAbortSignal } from "./async/stop.ts";
export type { Approver } from "./call/approvals/approver.ts";
export { headlessApprover } from "./call/approvals/headless-approver.ts";
export { type WholeResult, wholeOf } from "./call/keep-result.ts";
export { recordText, toResultText } from "./call/result-text.ts";
export { LEFT_OUT_MARK } from "./call/steps/shape-result.ts";
export { listen } from "./client/listen.ts";
export { loadConversation } from "./client/load-conversation.ts";
export { type StreamOptions, streamRun } from "./client/stream-run.ts";
export { isOverride } from "./config/apply-overrides.ts";
export type { ConfigDemands, Demand, DemandLabel, DemandLine } from "./config/demands/demand.ts";
export { type FoundDemands, findDemands } from "./config/demands/find-demands.ts";
export { secretsIn } from "./config/demands/find-references.ts";
export type { Dialect } from "./config/dialects/dialect.ts";
export { findServersPlace, type ServersPlace } from "./config/dialects/server-places.ts";
export { blankComments } from "./config/document/blank-comments.ts";
export { type ConfigProblem, formatConfigProblem } from "./config/document/config-problem.ts";
export { type FromAcpEntries, fromAcpEntries, fromAcpEntry } from "./config/entries/from-acp-entry.ts";
export { fromAppRecord } from "./config/entries/from-app-record.ts";
export type { FromEntry } from "./config/entries/from-entry.ts";
export { formatDuration } from "./config/entries/parse-duration.ts";
export { transportNameIn, transportNames } from "./config/entries/written-transports.ts";
export type { ImportProgram } from "./config/import/find-entries.ts";
export type { ImportDraft, ImportedSecret, ShownLaunch } from "./config/import/import-draft.ts";
export { type ImportedServers, importServers } from "./config/import/import-servers.ts";
export { moveSecretsOut } from "./config/import/move-secrets-out.ts";
export { type ParsedConfig, parseConfig } from "./config/parse-config.ts";
export { createEngine } from "./create-engine.ts";
export * from "./domain/approval.ts";
export * from "./domain/call.ts";
export * from "./domain/caller.ts";
export * from "./domain/connection.ts";
export * from "./domain/events.ts";
export { type Answer, EngineError, FAILURE_CODES, type Failure, type FailureCode } from "./domain/failure.ts";
export * from "./domain/gpt.ts";
export * from "./domain/grant.ts";
export * from "./domain/inventory.ts";
export * from "./domain/launch.ts";
export * from "./domain/limits.ts";
export * from "./domain/message.ts";
export * from "./domain/model.ts";
export * from "./domain/offer.ts";
export type { Page } from "./domain/page.ts";
export * from "./domain/question.ts";
export * from "./domain/run.ts";
export * from "./domain/search-settings.ts";
export type { SecretSummary } from "./domain/secret.ts";
export * from "./domain/selection.ts";
export * from "./domain/server.ts";
export * from "./domain/server-view.ts";
export * from "./domain/session.ts";
export * from "./domain/tool.ts";
export * from "./domain/tool-entry.ts";
export * from "./engine.ts";
export * from "./engine-host.ts";
export { findInexactNumbers, type InexactNumber, inexactText, mayHoldInexactNumbers } from "./json/inexact-numbers.ts";
export { canonicalJson, isJsonObject, type JsonSchema } from "./json/json.ts";
export { mirroredArguments, mirroredText } from "./json/mirrored-arguments.ts";
export { Json, JsonObject, type Schema } from "./json/schema.ts";
export { createReferences, type SchemaReferences } from "./json/schema-references.ts";
export { outlineOf, textNestsDeeper } from "./json/text-nesting.ts";
export { systemClock } from "./platform/system-clock.ts";
export { webHasher } from "./platform/web-hasher.ts";
export type { Advice } from "./ports/advice.ts";
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
export type { KnownSecrets, Redactor } from "./ports/known-secrets.ts";
export type { LoadWordVectors } from "./ports/load-word-vectors.ts";
export type { Logger, LogLevel } from "./ports/logger.ts";
export {
  isGone,
  type KnownMember,
  type Member,
  type MemberDeps,
  type Members,
  type ProcessTable,
} from "./ports/members.ts";
export type { Metrics } from "./ports/metrics.ts";
export type { Model, ModelEvent, ModelRequest, Models, ModelTool, OpenModel, TurnEnd } from "./ports/model.ts";
export type { Ports } from "./ports/ports.ts";
export type { ServerRecord, ServerRecords } from "./ports/server-records.ts";
export type { RateShares, Shares, SlotShares } from "./ports/shares.ts";
export {
  AGE_SHARE,
  type CallLog,
  type CallMemo,
  type Definitions,
  type Embeddings,
  type Gpts,
  type Grants,
  type Inventory,
  type KeptNames,
  type Names,
  type PruneRule,
  type Sessions,
  type SessionsQuery,
  type Store,
} from "./ports/store.ts";
export { declaredDead, StoreError, type StoreErrorCode } from "./ports/store-error.ts";
export type {
  StartValidationWorker,
  ValidationAnswer,
  ValidationJob,
  ValidationWorker,
  Validator,
} from "./ports/validator.ts";
export { SECRET_NAME, type Vault, VaultError, type VaultErrorCode } from "./ports/vault.ts";
export { secretsOf, secretsOfConfig } from "./secrets/find-secrets.ts";
export { createKnownSecrets } from "./secrets/known-secrets.ts";
export { fillSecretText } from "./secrets/read-secret.ts";
export { createRedactor, redactJson } from "./secrets/redact.ts";
export { redactTexts } from "./secrets/redact-texts.ts";
export { whyNotStored } from "./secrets/secret-length.ts";
export { type Cooldown, createCooldown } from "./servers/link/cooldown.ts";
export { NO_OFFERS } from "./servers/link/no-offers.ts";
export { countOf } from "./text/count-of.ts";
export { nearestName, suggestion } from "./text/nearest-name.ts";
export { formatBytes } from "./text/text-size.ts";
export { createToolSearch } from "./toolbox/search/ranking/create-tool-search.ts";
export type { SearchableTool, SearchOptions, ToolMatch, ToolSearch } from "./toolbox/search/tool-search.ts";
export { parseStaticVectors, type StaticVectors } from "./toolbox/search/vectors/static-vectors.ts";
export { createValidator, type OpenValidator } from "./validation/create-validator.ts";
export { MAX_ARGUMENTS_DEPTH } from "./validation/reserved-keys.ts";
export type { TextChannel } from "./wire/messages.ts";
export { createRemoteEngine, type RemoteEngine } from "./wire/remote-engine.ts";
export { serveEngine } from "./wire/serve-engine.ts";
