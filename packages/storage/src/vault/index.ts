export { createQueue, importVaultKey, type KeyRing, type Lock, type VaultKey } from "./key-ring.ts";
export { createMemoryKeyRing } from "./memory-key-ring.ts";
export { createMemoryRecords } from "./memory-records.ts";
export type { SecretRecord, SecretRecords } from "./secret-record.ts";
export { createVault, type RotatingVault, type Rotation, type VaultOptions } from "./vault.ts";
