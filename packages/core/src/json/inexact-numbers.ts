import { afterText } from "./text-scan.ts";

/** A number that JavaScript cannot hold as it was written. */
export interface InexactNumber {
  /** Where it is, as a JSON pointer. */
  readonly path: string;
  readonly written: string;
}

/**
 * Matches whatever could be such a number: a double holds any 15 digits, and exponents of two digits. Both kinds begin
 * with a digit outside the choice, which makes the search twice as fast.
 */
const SUSPECT = /\d(?:[\d.]{15}|[eE][-+]?\d{3})/;

/** Whether a JSON text may hold such a number, or a text that looks like one. */
export function mayHoldInexactNumbers(text: string): boolean {
  return SUSPECT.test(text);
}

/**
 * Finds the numbers of a valid JSON text that parsing would alter: whole numbers that are rounded, and numbers too
 * large or too close to zero. The last digits of long fractions do not count: every reader of JSON drops those.
 */
export function findInexactNumbers(text: string, most = 1): readonly InexactNumber[] {
  if (!mayHoldInexactNumbers(text)) return NONE;
  const found: InexactNumber[] = [];
  const places: Place[] = [];
  for (let at = 0; at < text.length && found.length < most; ) {
    const place = places.at(-1);
    const char = text.charAt(at);
    if (char === '"') {
      const end = afterText(text, at);
      if (place?.key !== undefined) place.key = text.slice(at, end);
      at = end;
    } else if (isNumberStart(char)) {
      const written = numberAt(text, at);
      if (isInexact(written)) found.push({ path: pathOf(places), written });
      at += written.length;
    } else {
      if (char === "{") places.push({ key: "", index: 0 });
      else if (char === "[") places.push({ key: undefined, index: 0 });
      else if (char === "}" || char === "]") places.pop();
      else if (char === "," && place !== undefined) place.index += 1;
      at += 1;
    }
  }
  return found;
}

/** What to say about such a number in something that is to be used as it was written. */
export function inexactText({ path, written }: InexactNumber): string {
  const shown = written.length > MAX_SHOWN ? `${written.slice(0, MAX_SHOWN)}…` : written;
  return `the number ${shown} at ${path === "" ? "the top" : path} cannot be kept exactly; write it as a string`;
}

const NONE: readonly InexactNumber[] = [];
const MAX_SHOWN = 40;

/** An object or array that is open: the last key or string seen in it, as written, or for an array its position. */
interface Place {
  key: string | undefined;
  index: number;
}

function pathOf(places: readonly Place[]): string {
  return places
    .map(({ key, index }) => (key === undefined ? String(index) : toStep(key)))
    .map((step) => `/${step}`)
    .join("");
}

function toStep(key: string): string {
  const name: unknown = JSON.parse(key);
  return String(name).replaceAll("~", "~0").replaceAll("/", "~1");
}

function isNumberStart(char: string): boolean {
  return char === "-" || (char >= "0" && char <= "9");
}

const NUMBER = /[-+.\deE]+/y;

function numberAt(text: string, at: number): string {
  NUMBER.lastIndex = at;
  return NUMBER.exec(text)?.[0] ?? text.charAt(at);
}

function isInexact(written: string): boolean {
  if (!SUSPECT.test(written)) return false;
  const value = Number(written);
  const meant = toDecimal(written);
  if (!Number.isFinite(value) || value === 0) return meant.digits !== "" && !Number.isNaN(value);
  const kept = toDecimal(String(value));
  if (kept.digits === meant.digits && kept.exponent === meant.exponent) return false;
  return meant.exponent >= 0 || Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

/** A number as `digits` times ten to the `exponent`, without zeros at either end. */
interface Decimal {
  readonly digits: string;
  readonly exponent: number;
}

function toDecimal(written: string): Decimal {
  const [mantissa = "", exponent = "0"] = written.slice(written.startsWith("-") ? 1 : 0).split(/[eE]/);
  const [whole = "", fraction = ""] = mantissa.split(".");
  const all = whole + fraction;
  let first = 0;
  let end = all.length;
  while (first < end && all.charAt(first) === "0") first += 1;
  while (end > first && all.charAt(end - 1) === "0") end -= 1;
  return { digits: all.slice(first, end), exponent: Number(exponent) - fraction.length + (all.length - end) };
}
