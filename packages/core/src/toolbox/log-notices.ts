import type { Advice } from "../ports/advice.ts";
import type { Logger } from "../ports/logger.ts";
import type { Notice } from "./registration.ts";

/** No one reads more lines that say the same of one server's tools, and with thousands of tools they would fill disks. */
const MAX_ALIKE = 100;

/** Logs notices, each fact once, and at most 100 alike about one server; a last line counts the others. */
export function createNoticeLog(logger: Logger, advice: Pick<Advice, "showTools"> | undefined) {
  let logged: ReadonlySet<string> = new Set();
  return (notices: readonly Notice[]): void => {
    const fresh = notices.filter(({ key }) => !logged.has(key));
    logged = new Set(notices.map(({ key }) => key));
    for (const alike of groupAlike(fresh)) {
      const [first] = alike;
      // Whoever asks for every detail gets all of them.
      const shown = first?.level === "debug" ? alike : alike.slice(0, MAX_ALIKE);
      for (const { level, text } of shown) logger.log(level, text);
      if (first !== undefined && alike.length > shown.length)
        logger.log(first.level, restText(first, alike.length - shown.length, advice));
    }
  };
}

function groupAlike(notices: readonly Notice[]): Iterable<readonly Notice[]> {
  const groups = new Map<string, Notice[]>();
  for (const notice of notices) {
    const group = JSON.stringify([notice.level, notice.key.split(":", 1), notice.server]);
    const alike = groups.get(group);
    if (alike === undefined) groups.set(group, [notice]);
    else alike.push(notice);
  }
  return groups.values();
}

function restText({ server }: Notice, rest: number, advice: Pick<Advice, "showTools"> | undefined): string {
  const of = server === undefined ? "" : ` of MCP server '${server}'`;
  const next = advice === undefined ? "" : `. To see them: ${advice.showTools(server)}`;
  return `The same is true of ${rest} more tools${of}${next}`;
}
