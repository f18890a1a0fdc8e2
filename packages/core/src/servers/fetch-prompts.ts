import { withSignalEach } from "../async/signal-each.ts";
import type { Clock } from "../ports/clock.ts";
import type { Connection } from "../ports/connector.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import type { Logger } from "../ports/logger.ts";
import { toConnectionError } from "./link/open-connection.ts";
import type { ServerEntry } from "./servers.ts";

export interface FetchPromptsDeps {
  readonly logger: Logger;
  readonly redact: Redactor;
  readonly clock: Clock;
}

/** Fetches the prompts that server entries name. A prompt that cannot be fetched is logged and never stops a start. */
export async function fetchPrompts(
  entries: readonly ServerEntry[],
  deps: FetchPromptsDeps,
  signal: AbortSignal,
): Promise<void> {
  await withSignalEach(entries, signal, (entry, stop) => fetchFrom(entry, deps, stop));
}

async function fetchFrom(
  { definition, link }: ServerEntry,
  { logger, redact, clock }: FetchPromptsDeps,
  signal: AbortSignal,
): Promise<void> {
  const { name, prompts, timeoutMs } = definition;
  // A server that is not connected has already been reported.
  if (prompts.length === 0 || link?.status().status !== "connected") return;
  const budget = new AbortController();
  const abort = () => budget.abort();
  let late = false;
  const cancelTimeout = clock.after(timeoutMs, () => {
    late = true;
    abort();
  });
  signal.addEventListener("abort", abort);
  const explain = (error: unknown) =>
    late ? `no answer within ${timeoutMs / 1000} s` : toConnectionError(error).message;
  const missing = (prompt: string, detail: string) =>
    logger.log("warn", `MCP server '${name}' does not provide prompt '${prompt}': ${redact(detail)}`);
  try {
    const lease = await link.lease(budget.signal);
    try {
      const found = await findMissing(lease.connection, prompts, explain, budget.signal);
      if (!signal.aborted) for (const [prompt, detail] of found) missing(prompt, detail);
    } finally {
      lease.release();
    }
  } catch (error) {
    if (!signal.aborted) for (const prompt of prompts) missing(prompt, explain(error));
  } finally {
    cancelTimeout();
    signal.removeEventListener("abort", abort);
  }
}

/** Returns the prompts that cannot be fetched, each with the reason. */
async function findMissing(
  connection: Connection,
  names: readonly string[],
  explain: (error: unknown) => string,
  signal: AbortSignal,
): Promise<readonly (readonly [string, string])[]> {
  const listed = await connection.listPrompts(signal);
  const checked = await Promise.all(
    names.map(async (name) => {
      const prompt = listed.find((candidate) => candidate.name === name);
      if (prompt === undefined) return [[name, listedText(listed.map((one) => one.name))] as const];
      // A prompt with required arguments cannot be filled in yet; that it is listed has to be enough.
      if (prompt.arguments.some(({ required }) => required)) return [];
      return connection.getPrompt(name, {}, signal).then(
        () => [],
        (error: unknown) => [[name, explain(error)] as const],
      );
    }),
  );
  return checked.flat();
}

const MAX_NAMES = 10;

function listedText(names: readonly string[]): string {
  if (names.length === 0) return "it lists no prompts";
  const more = names.length > MAX_NAMES ? ", …" : "";
  return `it lists only: ${names.slice(0, MAX_NAMES).join(", ")}${more}`;
}
