/** A server that asks for more is asked again after this long; whoever opens by hand is never held up. */
const LONGEST_MS = 60 * 60 * 1000;

const IMF_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const RFC_850_DATE = /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/;
const ASCTIME_DATE = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/**
 * How long a `Retry-After` header asks to wait, from `now` (milliseconds since the epoch) on: seconds, or one of the
 * three date forms HTTP knows. Undefined when it is absent, is neither, or lies in the past; an hour at most.
 */
export function parseRetryAfter(value: string | null, now: number): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, LONGEST_MS);
  const waitMs = parseHttpDate(text) - now;
  // Also false for what is no date at all.
  return waitMs >= 0 ? Math.min(waitMs, LONGEST_MS) : undefined;
}

/** `Date.parse` alone would find a year in almost anything. */
function parseHttpDate(text: string): number {
  if (IMF_DATE.test(text) || RFC_850_DATE.test(text)) return Date.parse(text);
  return ASCTIME_DATE.test(text) ? Date.parse(`${text} GMT`) : Number.NaN;
}
