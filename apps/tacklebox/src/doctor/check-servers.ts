import type { ServerView, StartProblem } from "@tacklebox/core";
import type { Opened } from "../engine/open.ts";
import type { DoctorFinding } from "./finding.ts";

/** Connects every server and reports how each of them did. */
export async function checkServers(
  { engine, start, configFile: file = "the config" }: Opened,
  signal: AbortSignal,
): Promise<readonly DoctorFinding[]> {
  const problems = await start(signal, { kind: "everything" });
  const servers = await engine.servers.list();
  const toolboxProblems = problems.filter(({ kind }) => kind !== "unreachable");
  return [
    ...servers.map((view) => toFinding(view, file)),
    ...toolboxProblems.map((problem) => toProblem(problem, file)),
  ];
}

function toFinding({ key, status, required, toolCount, quarantined, cause }: ServerView, file: string): DoctorFinding {
  const about = { about: "server", name: key } as const;
  if (status === "disabled") {
    const next = `To enable it: tacklebox enable ${key}`;
    return { ...about, verdict: "ok", text: "is disabled", next };
  }
  if (status !== "connected") {
    const next = `Check its entry in ${file}, or disable it: tacklebox disable ${key}`;
    return { ...about, verdict: required ? "problem" : "warn", text: cause ?? `is ${status}`, next };
  }
  const tools = toolCount === 1 ? "1 tool" : `${toolCount} tools`;
  if (quarantined.length === 0) return { ...about, verdict: "ok", text: `connected, ${tools}` };
  const names = quarantined.map(({ name }) => name).join(", ");
  const text = `connected, ${tools}; cannot be used as their server lists them: ${names}`;
  return { ...about, verdict: "warn", text, next: "`tacklebox servers` shows why." };
}

function toProblem({ server, text }: StartProblem, file: string): DoctorFinding {
  const next = `Correct ${file}; \`tacklebox check\` shows the same.`;
  return { about: "toolbox", ...(server === undefined ? {} : { name: server }), verdict: "problem", text, next };
}
