import type { Engine, ServerView, StartProblem } from "@tacklebox/core";
import type { Finding } from "./finding.ts";

/** Connects every server and tells of each how it went. */
export async function checkServers(
  engine: Engine,
  file: string,
  redact: (text: string) => string,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const { problems } = await engine.start(signal);
  const servers = await engine.listServers();
  const ofToolbox = problems.filter(({ kind }) => kind !== "unreachable");
  return [
    ...servers.map((view) => toFinding(view, file, redact)),
    ...ofToolbox.map((problem) => toProblem(problem, file, redact)),
  ];
}

function toFinding(view: ServerView, file: string, redact: (text: string) => string): Finding {
  const { definition, status, toolCount, quarantined, cause } = view;
  const about = { about: "server", name: definition.key } as const;
  if (status === "disabled") {
    const next = `To use it: tacklebox enable ${definition.key}`;
    return { ...about, verdict: "ok", text: "is switched off", next };
  }
  if (status !== "connected") {
    const verdict = definition.required ? "problem" : "warn";
    const next = `Check its entry in ${file}, or switch it off: tacklebox disable ${definition.key}`;
    return { ...about, verdict, text: redact(cause ?? `is ${status}`), next };
  }
  const tools = toolCount === 1 ? "1 tool" : `${toolCount} tools`;
  if (quarantined.length === 0) return { ...about, verdict: "ok", text: `connected, ${tools}` };
  const names = quarantined.map(({ name }) => name).join(", ");
  const text = `connected, ${tools}; cannot be used as their server lists them: ${names}`;
  return { ...about, verdict: "warn", text, next: "`tacklebox servers` shows why." };
}

function toProblem({ server, text }: StartProblem, file: string, redact: (text: string) => string): Finding {
  const next = `Correct ${file}; \`tacklebox check\` shows the same.`;
  return {
    about: "toolbox",
    ...(server === undefined ? {} : { name: server }),
    verdict: "problem",
    text: redact(text),
    next,
  };
}
