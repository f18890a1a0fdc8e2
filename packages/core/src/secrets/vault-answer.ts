import { type Answer, type FailureCode, failed } from "../domain/failure.ts";
import { VaultError, type VaultErrorCode } from "../ports/vault.ts";

const FAILURE_CODES_OF = {
  locked: "locked",
  "wrong-key": "locked",
  corrupted: "damaged",
  "not-found": "not-found",
  "invalid-name": "invalid",
} as const satisfies Record<VaultErrorCode, FailureCode>;

/** Turns a VaultError into a failed answer; any other error is unexpected and is thrown. */
export async function toVaultAnswer<T>(work: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { kind: "ok", value: await work() };
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    return failed(FAILURE_CODES_OF[error.code], error.message);
  }
}
