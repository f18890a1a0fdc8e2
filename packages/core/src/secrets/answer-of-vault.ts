import { type Answer, type FailureCode, failed } from "../domain/failure.ts";
import { VaultError, type VaultErrorCode } from "../ports/vault.ts";

const OF_VAULT = {
  locked: "locked",
  "wrong-key": "locked",
  corrupted: "damaged",
  "not-found": "not-found",
  "invalid-name": "invalid",
} as const satisfies Record<VaultErrorCode, FailureCode>;

/** What the vault refuses is an answer; everything else is a broken world. */
export async function toVaultAnswer<T>(work: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { kind: "ok", value: await work() };
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    return failed(OF_VAULT[error.code], error.message);
  }
}
