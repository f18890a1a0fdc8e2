import { type ImportDraft, whyNotStored } from "@tacklebox/core";
import type { SettledDraft } from "./settle-secrets.ts";

/**
 * Takes out the values that are too short for the vault (F16): their secrets are asked for instead. After names are
 * settled, so that no such secret has the name of one that is in the vault already. Says so in `warnings`.
 */
export function refuseShort<Draft extends ImportDraft>(
  settled: SettledDraft<Draft>,
  warnings: string[],
): SettledDraft<Draft> {
  const { draft } = settled;
  const toStore = new Map(settled.toStore);
  const secrets = draft.secrets.map((secret) => {
    const { value, ...rest } = secret;
    const refusal = value === undefined || !toStore.has(secret.name) ? undefined : whyNotStored(value);
    if (refusal === undefined) return secret;
    toStore.delete(secret.name);
    warnings.push(
      `The value of ${secret.where} of '${draft.name}' was not stored. ${refusal}: tacklebox secret set ${secret.name}`,
    );
    return { ...rest, hint: "the one in that file is too short" };
  });
  return { ...settled, draft: { ...draft, secrets }, toStore };
}
