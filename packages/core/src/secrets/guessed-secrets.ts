import { isOrdinary, isSetting } from "./ordinary-values.ts";
import { isCertainlySecretName, isSecretName } from "./secret-names.ts";

/**
 * Whether the value of a variable, flag or field is a secret, going by its name. A name that may mean something else is not
 * believed when the value reads like plain text: `AUTH_PROVIDER=github`, `--sort-key=created_at`. Redacting such a word
 * would make results unreadable and set aside every tool that has it in its name (F9).
 */
export function isSecretUnder(name: string, value: string): boolean {
  if (!isSecretName(name) || isSetting(value)) return false;
  return isCertainSecret(name, value) || !isOrdinary(value) || isLogin(value);
}

/** The same for places where anything can stand before `=`, and for warnings. */
export function isCertainSecret(name: string, value: string): boolean {
  return isCertainlySecretName(name) && !(mayBeColumn(name) && readsLikeIdentifier(value));
}

/** Lists, maps and tables have keys, too: `--sort-key`, `PRIMARY_KEY`. A `--key` of nothing in particular is a secret. */
function mayBeColumn(name: string): boolean {
  return /[a-z\d][-_ ]*keys?$/i.test(name) && !OPENING_KEY.test(name);
}

function readsLikeIdentifier(value: string): boolean {
  return isOrdinary(value) && /\p{L}{2}/u.test(value);
}

const OPENING_KEY =
  /(api|access|secret|private|encryption|encrypt|signing|account|auth|authorization|master|shared|storage|admin|license|ssh|service|client|app|vault)[-_ ]?keys?$/i;

/** `ada:sunflower`, but not `db01:5432`. */
function isLogin(value: string): boolean {
  return /^[^\s:/]+:(?!\d+$)[^\s/:]+$/.test(value);
}
