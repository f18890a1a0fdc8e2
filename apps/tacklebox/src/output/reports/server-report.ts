import type { ServerView } from "@tacklebox/core";
import type { CommonOptions } from "../../command-options.ts";
import type { Io } from "../../io.ts";
import type { Colour } from "../colour.ts";
import type { ServerJson } from "../json/json-shapes.ts";
import { printableLine, printableText } from "../printable.ts";
import { formatTable, type TableStyle } from "../table.ts";

export const SERVER_STATUS_COLOURS = {
  connected: "green",
  connecting: "yellow",
  disconnected: "yellow",
  error: "red",
  disabled: "dim",
} as const satisfies Record<ServerView["status"], Colour>;

/** Which causes stand below the table in full. Above it, there is only room for the first line of each. */
export type ShownCauses = "all" | "none";

/** None if the log has just told each of them on the same screen. */
export function causesToShow(
  io: Pick<Io, "stdoutIsTerminal" | "stderrIsTerminal">,
  { logLevel }: CommonOptions,
): ShownCauses {
  return io.stdoutIsTerminal && io.stderrIsTerminal && logLevel !== "error" ? "none" : "all";
}

/**
 * Formats the servers as a table, then why some are down, their quarantined tools and their refused names with the
 * reasons.
 */
export function formatServers(views: readonly ServerView[], style: TableStyle, causes: ShownCauses): string {
  if (views.length === 0) return "No servers are configured. `tacklebox add` adds one.\n";
  const rows = views.map((view) => [
    view.key,
    { text: view.status, colour: SERVER_STATUS_COLOURS[view.status] },
    transportOf(view),
    view.info?.protocolVersion ?? "-",
    String(view.toolCount),
    shortCause(view.cause ?? ""),
  ]);
  const table = formatTable(["NAME", "STATUS", "TRANSPORT", "PROTOCOL", "TOOLS", "CAUSE"], rows, style);
  const isCut = (cause: string) => cause.includes("\n") || (cause !== "" && style.columns !== undefined);
  const long = causes === "all" ? views.filter(({ cause = "" }) => isCut(cause)) : [];
  const told = long.map(({ key, cause = "" }) => `  ${key}: ${indent(cause)}\n`);
  const quarantined = views.flatMap((view) =>
    view.quarantined.map((tool) => `  ${printableLine(`${view.key} ${tool.name}: ${tool.reason}`)}\n`),
  );
  const refused = views.flatMap((view) =>
    view.nameConflicts.map((conflict) => `  ${printableLine(`${view.key} ${describeConflict(conflict)}`)}\n`),
  );
  return [
    table,
    ...(told.length === 0 ? [] : [`Why:\n${told.join("")}`]),
    ...(quarantined.length === 0 ? [] : [`Quarantined tools:\n${quarantined.join("")}`]),
    ...(refused.length === 0 ? [] : [`Names that belong to another tool:\n${refused.join("")}${HOW_TO_SETTLE}`]),
  ].join("\n");
}

const HOW_TO_SETTLE =
  "  A name stays with the tool that has it. To change that, rename or remove its server; to be rid of the other tool,\n  deny it or disable its server. `toolbox.collisions` says whether the other is shown at all.\n";

function describeConflict({ tool, wanted, holder, shownName }: ServerView["nameConflicts"][number]): string {
  const instead = shownName === undefined ? "has no name; call it with its server" : `shown as '${shownName}'`;
  const looksLike = holder.tool === tool ? "" : `, which looks like '${holder.tool}'`;
  return `${tool}: wants the name '${wanted}'${looksLike} of '${holder.server}'; ${instead}`;
}

export function toServerJson(view: ServerView): ServerJson {
  return {
    name: view.key,
    status: view.status,
    transport: transportOf(view),
    address: view.address,
    protocol: view.info?.protocolVersion ?? null,
    required: view.required,
    tools: view.toolCount,
    ...(view.cause === undefined ? {} : { cause: view.cause }),
    ...(view.retry === undefined ? {} : { retry: toRetryJson(view.retry) }),
    ...(view.info?.instructions === undefined ? {} : { instructions: view.info.instructions }),
    oddities: view.oddities,
    quarantined: view.quarantined.map(({ name, reason }) => ({ name, reason })),
    name_conflicts: view.nameConflicts.map(({ tool, wanted, holder, shownName }) => ({
      tool,
      wanted,
      holder,
      ...(shownName === undefined ? {} : { shown_as: shownName }),
    })),
  };
}

function toRetryJson({ failures, nextAttemptAt }: NonNullable<ServerView["retry"]>): NonNullable<ServerJson["retry"]> {
  return { failures, ...(nextAttemptAt === undefined ? {} : { next_attempt_at: nextAttemptAt }) };
}

function transportOf(view: ServerView): string {
  return view.info?.transport ?? view.transport;
}

function indent(text: string): string {
  return printableText(text).split("\n").join("\n    ");
}

/** The first line, without the words that announce the next one. */
function shortCause(text: string): string {
  const [first = "", ...more] = text.split("\n");
  return more.length === 0 ? first : first.replace(/(?<=\. )[^.]*:$/, "").trimEnd();
}
