import type { ApprovalMode, Grant, ServerView } from "@tacklebox/core";
import { APPROVAL_MODES } from "../../command-table/approval-modes.ts";
import { printableLine } from "../../output/printable.ts";
import { describeReload } from "../../output/reports/reload-report.ts";
import { formatTable } from "../../output/table.ts";
import { DOOR_MODE } from "../conversation-settings.ts";
import type { ChatState } from "./slash-commands.ts";

export async function reload({ reloadConfig }: ChatState): Promise<string> {
  return describeReload(await reloadConfig());
}

/** Ends a server's connection and opens another one; without a name, for every server that is down. */
export async function reconnect(wanted: string, { engine }: ChatState): Promise<string> {
  const views = (await engine.servers.list()).filter(({ scope }) => scope !== "local");
  if (wanted === "") {
    const down = views.filter(({ status }) => status === "error" || status === "disconnected");
    if (down.length === 0) return "No server is down. To restart one: /reconnect SERVER";
    return (await Promise.all(down.map((view) => connectAnew(view, engine)))).join("\n");
  }
  const view = views.find(({ key }) => key === wanted);
  if (view === undefined) return printableLine(`There is no server '${wanted}'. /servers shows them all.`);
  return connectAnew(view, engine);
}

async function connectAnew({ key }: ServerView, engine: ChatState["engine"]): Promise<string> {
  await engine.servers.disconnect(key);
  const connected = await engine.servers.connect(key);
  if (connected.kind === "failed") return printableLine(`${key} could not be connected: ${connected.failure.message}`);
  const { toolCount } = connected.value;
  return printableLine(`${key} is up, with ${toolCount} ${toolCount === 1 ? "tool" : "tools"}.`);
}

const MODES = {
  auto: "calls run without asking",
  "always-ask": "you are asked about every call",
  "trusted-only": "you are asked about every call, except calls of the assistant's trusted tools",
} as const satisfies Record<ApprovalMode, string>;

const ELSEWHERE = "Servers and tools with an approval setting of their own keep it.";

export async function chooseApproval(wanted: string, { engine, settings }: ChatState): Promise<string> {
  if (wanted === "") {
    const gpt = (await engine.gpts.list()).find(({ key }) => key === settings.gpt);
    const mode = settings.approve ?? gpt?.approval ?? DOOR_MODE;
    const others = APPROVAL_MODES.filter((other) => other !== mode).map(
      (other) => `/approve ${other}: ${MODES[other]}`,
    );
    return [`Now ${mode}: ${MODES[mode]}. ${ELSEWHERE}`, ...others].join("\n");
  }
  const mode = APPROVAL_MODES.find((one) => one === wanted);
  if (mode === undefined) return printableLine(`There is no mode '${wanted}'. Modes: ${APPROVAL_MODES.join(", ")}`);
  settings.approve = mode;
  return `From now on ${MODES[mode]}. ${ELSEWHERE}`;
}

/** Numbered, so that nobody has to type an id. The order is that of the answers, the oldest first. */
export async function showGrants(argument: string, { engine, settings, screen }: ChatState): Promise<string> {
  const grants = (await engine.grants.list())
    .filter(({ sessionId }) => sessionId === undefined || sessionId === settings.sessionId)
    .sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  const [, number] = /^revoke\s+(\S+)$/.exec(argument) ?? [];
  if (number !== undefined) return revoke(number, grants, engine);
  if (argument !== "") return "Type /grants, or /grants revoke N\n";
  if (grants.length === 0) return "Nothing is allowed or denied for longer than one call.";
  const rows = grants.map(({ verdict, tool, server, sessionId }, index) => [
    String(index + 1),
    { text: VERDICTS[verdict].text, colour: VERDICTS[verdict].colour },
    tool,
    server,
    sessionId === undefined ? "for good" : "in this session",
  ]);
  const style = { paint: screen.paint, columns: screen.columns() - 1 };
  return `${formatTable(["N", "ANSWER", "TOOL", "SERVER", "VALID"], rows, style)}/grants revoke N takes one back.\n`;
}

const VERDICTS = {
  allow: { text: "allowed", colour: "green" },
  deny: { text: "denied", colour: "red" },
} as const;

async function revoke(
  number: string,
  grants: readonly Grant[],
  { grants: kept }: ChatState["engine"],
): Promise<string> {
  const grant = grants[Number(number) - 1];
  if (grant === undefined || !(await kept.revoke(grant.id)))
    return printableLine(`There is no grant ${number}. /grants shows them all.`);
  const { verdict, tool, server } = grant;
  return printableLine(
    `${tool} of ${server} is no longer ${VERDICTS[verdict].text}; the next call is decided by the usual rules.`,
  );
}
