import { parse } from "tinyduration";
import { MAX_DURATION_MS } from "../../domain/limits.ts";

export type ParsedDuration =
  | { readonly kind: "ok"; readonly ms: number }
  /** `problem` continues a sentence that starts with the field's name. */
  | { readonly kind: "invalid"; readonly problem: string };

const FORMS = "a duration such as PT30S, 00:00:30 or 30 (a plain number is seconds)";
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Reads ISO-8601 (`PT30S`, `P0DT0H1M0S`, `P1W`), `HH:MM:SS` and plain numbers of seconds (S4.6). */
export function parseDuration(value: unknown, longestMs = MAX_DURATION_MS): ParsedDuration {
  const parsed = parseForms(value);
  return parsed.kind === "ok" ? checkRange(parsed.ms, longestMs) : parsed;
}

function parseForms(value: unknown): ParsedDuration {
  if (typeof value === "number") return { kind: "ok", ms: value * SECOND };
  if (typeof value !== "string") return invalid(`must be ${FORMS}`);
  if (/^-?\d+(\.\d+)?$/.test(value)) {
    return invalid("must be a number without quotes, or a duration such as PT30S: text needs a unit");
  }
  return parseClock(value) ?? parseIso(value);
}

/** Formats a duration as people write it in config files: `PT30S`, `PT1M30S`, `P1DT2H`. */
export function formatDuration(ms: number): string {
  const days = Math.floor(ms / DAY);
  const hours = Math.floor((ms % DAY) / HOUR);
  const minutes = Math.floor((ms % HOUR) / MINUTE);
  const seconds = (ms % MINUTE) / SECOND;
  const date = days > 0 ? `${days}D` : "";
  const time = `${hours > 0 ? `${hours}H` : ""}${minutes > 0 ? `${minutes}M` : ""}${seconds > 0 ? `${seconds}S` : ""}`;
  if (date === "" && time === "") return "PT0S";
  return `P${date}${time === "" ? "" : `T${time}`}`;
}

function parseClock(text: string): ParsedDuration | undefined {
  const match = /^(\d{1,6}):([0-5]\d):([0-5]\d(?:\.\d{1,9})?)$/.exec(text);
  if (match === null) return undefined;
  return { kind: "ok", ms: Number(match[1]) * HOUR + Number(match[2]) * MINUTE + Number(match[3]) * SECOND };
}

function parseIso(text: string): ParsedDuration {
  // tinyduration ignores text after a valid duration, so it is checked here before.
  if (text.length > 50 || !/^[-+]?P[\d.,+\-A-Z]+$/.test(text)) return invalid(`must be ${FORMS}`);
  const parts = tryParse(text);
  if (parts === undefined) return invalid(`must be ${FORMS}`);
  if (parts.years !== undefined || parts.months !== undefined) {
    return invalid("must not use years or months, whose length varies: use days, hours, minutes or seconds");
  }
  const days = (parts.weeks ?? 0) * 7 + (parts.days ?? 0);
  const ms = days * DAY + (parts.hours ?? 0) * HOUR + (parts.minutes ?? 0) * MINUTE + (parts.seconds ?? 0) * SECOND;
  return { kind: "ok", ms: parts.negative === true ? -ms : ms };
}

function tryParse(text: string): ReturnType<typeof parse> | undefined {
  try {
    return parse(text);
  } catch {
    // The library reports an invalid duration only by throwing.
    return undefined;
  }
}

function checkRange(exact: number, longestMs: number): ParsedDuration {
  const ms = Math.round(exact);
  if (Number.isNaN(ms) || ms < 1) return invalid("must be longer than zero");
  if (ms > longestMs) return invalid(`must be at most ${Math.floor(longestMs / DAY)} days`);
  return { kind: "ok", ms };
}

function invalid(problem: string): ParsedDuration {
  return { kind: "invalid", problem };
}
