import type { EngineEvent } from "../domain/events.ts";
import { type Answer, failed } from "../domain/failure.ts";
import type { EngineSecrets } from "../engine.ts";
import type { KnownSecrets } from "../ports/known-secrets.ts";
import type { Vault } from "../ports/vault.ts";
import { redactJson } from "./redact.ts";
import { whyNotStored } from "./secret-length.ts";
import { toVaultAnswer } from "./vault-answer.ts";

export interface EngineSecretsDeps {
  readonly vault: Vault | undefined;
  readonly knownSecrets: KnownSecrets;
  readonly emit: (event: EngineEvent) => void;
}

export function createEngineSecrets({ vault, knownSecrets, emit }: EngineSecretsDeps): EngineSecrets {
  const { redact } = knownSecrets;

  async function withVault<T>(use: (vault: Vault) => Promise<T>): Promise<Answer<T>> {
    if (vault === undefined) return failed("unavailable", "No vault is open here");
    // People sometimes pass the value as the name.
    return redactJson(redact, await toVaultAnswer(() => use(vault)));
  }

  return {
    list: async () => (await vault?.list()) ?? [],
    async put(name, value) {
      const refusal = whyNotStored(value);
      if (refusal !== undefined) return failed("invalid", refusal);
      // Added before it is stored, because a vault's error message may contain the value.
      knownSecrets.add([value]);
      const answer = await withVault(async (open) => {
        const isKnown = (await open.list()).some((secret) => secret.name === name);
        await open.put(name, value);
        return isKnown ? "replaced" : "stored";
      });
      if (answer.kind === "ok") emit({ type: "secrets-changed" });
      return answer;
    },
    async forget(name) {
      const answer = await withVault((open) => open.forget(name));
      if (answer.kind === "ok" && answer.value) emit({ type: "secrets-changed" });
      return answer;
    },
    check: (name) => withVault((open) => open.use(name, () => true as const)),
    async rotate() {
      const rotate = vault?.rotate;
      if (rotate === undefined) return failed("unavailable", "The key of this vault cannot be replaced");
      return toVaultAnswer(async () => (await rotate()).rewrapped);
    },
    redact: async (text) => redact(text),
  };
}
