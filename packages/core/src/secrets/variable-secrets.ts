import { isSecretUnder } from "./guessed-secrets.ts";
import { isOrdinary } from "./ordinary-values.ts";
import { isRedactable, whyNotRedacted } from "./secret-length.ts";
import { isCertainlySecretName, isSecretName } from "./secret-names.ts";

/** Under a name that says nothing, shorter values are words and numbers more often than credentials. */
const MIN_LENGTH_OF_UNNAMED = 8;

/**
 * Whether the value of an environment variable, used where credentials are allowed, is redacted. It is if the variable's
 * name says so for certain, and under any other name unless it is short or reads like plain text.
 */
export function isSecretVariableValue(variable: string, value: string): boolean {
  if (isSecretName(variable)) return isRedactable(value) && isSecretUnder(variable, value);
  return value.length >= MIN_LENGTH_OF_UNNAMED && isRedactable(value) && !isOrdinary(value);
}

/** Like whyNotRedacted, for a variable that is certainly a credential; undefined for any other. */
export function whyNotRedactedVariable(variable: string, value: string): string | undefined {
  return isCertainlySecretName(variable) ? whyNotRedacted(value) : undefined;
}
