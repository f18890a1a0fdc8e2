import { isOrdinary, isSetting } from "./ordinary-values.ts";
import { isTooShort, MIN_SECRET_LENGTH } from "./secret-length.ts";
import { isCertainlySecretName, isSecretName } from "./secret-names.ts";

/** Under a name that says nothing, shorter values are words and numbers more often than credentials. */
const MIN_LENGTH_OF_UNNAMED = 8;

/**
 * Whether the value of an environment variable, used where credentials are allowed, is redacted. It is if the variable's
 * name says so, and under any other name unless it is short or reads like plain text.
 */
export function isSecretVariableValue(variable: string, value: string): boolean {
  if (isSecretName(variable)) return value.length >= MIN_SECRET_LENGTH && !isSetting(value);
  return value.length >= MIN_LENGTH_OF_UNNAMED && !isOrdinary(value);
}

/** Whether a variable that is certainly a credential is too short to be redacted. */
export function isTooShortVariable(variable: string, value: string): boolean {
  return isCertainlySecretName(variable) && isTooShort(value);
}
