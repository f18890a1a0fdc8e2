import { isSetting, isWellKnown } from "./ordinary-values.ts";

/** Shorter values occur by chance, and redacting them would make messages unreadable. */
export const MIN_SECRET_LENGTH = 6;

/**
 * The least that is stored (F16). More than MIN_SECRET_LENGTH: a new secret can be chosen longer, while one of 6 or 7
 * characters that is in use already is better redacted than not.
 */
export const MIN_STORED_LENGTH = 8;

/** Why a value is not stored as a secret; undefined if it can be. */
export function whyNotStored(value: string): string | undefined {
  if (isWellKnown(value)) return `This is ${WELL_KNOWN}`;
  if (value.length >= MIN_STORED_LENGTH) return undefined;
  return `A secret needs at least ${MIN_STORED_LENGTH} characters: a shorter one occurs in other texts by chance, so it cannot be redacted. Choose a longer one where it is issued, then store that`;
}

/** Whether a credential is redacted wherever it occurs. */
export function isRedactable(value: string): boolean {
  return value.length >= MIN_SECRET_LENGTH && !isWellKnown(value);
}

/**
 * The end of a sentence about a credential that cannot be redacted; undefined if it can. Settings such as `off` and `1`
 * are no credentials.
 */
export function whyNotRedacted(value: string): string | undefined {
  if (value === "" || isSetting(value) || /^\d{1,2}$/.test(value) || isRedactable(value)) return undefined;
  return value.length < MIN_SECRET_LENGTH ? TOO_SHORT : WELL_KNOWN;
}

const TOO_SHORT = `too short to be redacted, so it may appear in results and logs. Use one of at least ${MIN_STORED_LENGTH} characters`;
const WELL_KNOWN = `a password that everybody knows and a word of ordinary texts, so it is not redacted. Use another one of at least ${MIN_STORED_LENGTH} characters`;
