import type { Advice } from "../ports/advice.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Notice } from "./registration.ts";

/** No one reads more lines that say the same of one server's tools, and with thousands of tools they would fill disks. */
const MAX_ALIKE = 100;
const WINDOW_MS = 10 * 60_000;

export interface NoticeLogDeps {
  readonly logger: Logger;
  readonly advice?: Pick<Advice, "showTools"> | undefined;
  readonly clock: Pick<Clock, "monotonic">;
}

/** What was logged of one kind about one server since a moment. */
interface Pace {
  readonly since: number;
  logged: number;
  /** Whether a line has counted what was not logged. */
  hasCounted: boolean;
  /** How many came after that line. */
  uncounted: number;
}

/**
 * Logs notices, each fact once, and in ten minutes at most 100 alike about one server; a last line counts the others.
 * A server that keeps renaming its tools has those that came after that line counted ten minutes later.
 */
export function createNoticeLog({ logger, advice, clock }: NoticeLogDeps) {
  let logged: ReadonlySet<string> = new Set();
  const paces = new Map<string, Pace>();

  function logAlike(group: string, alike: readonly Notice[], first: Notice): void {
    const now = clock.monotonic();
    const before = paces.get(group);
    const isOver = before === undefined || now - before.since >= WINDOW_MS;
    const pace = isOver ? { since: now, logged: 0, hasCounted: false, uncounted: 0 } : before;
    paces.set(group, pace);
    if (isOver && before !== undefined && before.uncounted > 0)
      logger.log(first.level, `In the time before: ${restText(first, before.uncounted, advice)}`);
    // Whoever asks for every detail gets all of them.
    const shown = first.level === "debug" ? alike : alike.slice(0, Math.max(0, MAX_ALIKE - pace.logged));
    for (const { level, text } of shown) logger.log(level, text);
    pace.logged += shown.length;
    const rest = alike.length - shown.length;
    if (rest === 0) return;
    if (pace.hasCounted) pace.uncounted += rest;
    else logger.log(first.level, restText(first, rest, advice));
    pace.hasCounted = true;
  }

  return (notices: readonly Notice[]): void => {
    const fresh = notices.filter(({ key }) => !logged.has(key));
    logged = new Set(notices.map(({ key }) => key));
    for (const [group, alike] of groupAlike(fresh)) {
      const [first] = alike;
      if (first !== undefined) logAlike(group, alike, first);
    }
  };
}

function groupAlike(notices: readonly Notice[]): ReadonlyMap<string, readonly Notice[]> {
  const groups = new Map<string, Notice[]>();
  for (const notice of notices) {
    const { level, key, server = "" } = notice;
    const group = `${level}:${key.slice(0, key.indexOf(":"))}:${server}`;
    const alike = groups.get(group);
    if (alike === undefined) groups.set(group, [notice]);
    else alike.push(notice);
  }
  return groups;
}

function restText({ server }: Notice, rest: number, advice: NoticeLogDeps["advice"]): string {
  const of = server === undefined ? "" : ` of MCP server '${server}'`;
  const next = advice === undefined ? "" : `. To see them: ${advice.showTools(server)}`;
  return `The same is true of ${rest} more ${rest === 1 ? "tool" : "tools"}${of}${next}`;
}
