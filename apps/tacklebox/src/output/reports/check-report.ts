import type { ServerView, StartProblem } from "@tacklebox/core";

export interface CheckedToolbox {
  readonly servers: readonly ServerView[];
  readonly problems: readonly StartProblem[];
  /** The number of tools that may be called. */
  readonly tools: number;
  /** Whether a server that is down counts as a problem even if nothing requires it. */
  readonly requireAll: boolean;
}

export interface Verdict {
  readonly ok: boolean;
  /** Enabled servers that are not connected, and disabled ones, by name. */
  readonly down: readonly string[];
  readonly disabled: readonly string[];
  /** One line for people. */
  readonly text: string;
}

export function judge({ servers, problems, tools, requireAll }: CheckedToolbox): Verdict {
  const own = servers.filter(({ scope }) => scope !== "local");
  const enabled = own.filter(({ status }) => status !== "disabled");
  const down = enabled.filter(({ status }) => status !== "connected").map(({ key }) => key);
  const disabled = own.filter(({ status }) => status === "disabled").map(({ key }) => key);
  const ok = problems.length === 0 && (down.length === 0 || !requireAll);
  const sentences = [
    `${startOf(ok, problems.length, describeDown(down, enabled.length))}.`,
    ...(disabled.length === 0 ? [] : [`${count(disabled.length, "server")} disabled: ${disabled.join(", ")}.`]),
    `${count(tools, "tool")} may be called.`,
  ];
  return { ok, down, disabled, text: sentences.join(" ") };
}

function startOf(ok: boolean, problems: number, down: string | undefined): string {
  if (ok) return down === undefined ? "Ready" : `Ready, but ${down}`;
  if (problems === 0) return `Not ready: ${down}`;
  return `Not ready: ${count(problems, "problem")}${down === undefined ? "" : `; ${down}`}`;
}

function describeDown(down: readonly string[], enabled: number): string | undefined {
  if (down.length === 0) return undefined;
  const names = down.join(", ");
  if (enabled === 1) return `the only server is down: ${names}`;
  if (down.length === enabled) return `all ${enabled} servers are down: ${names}`;
  return `${down.length} of ${enabled} servers ${down.length === 1 ? "is" : "are"} down: ${names}`;
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}
