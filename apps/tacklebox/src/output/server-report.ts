import { type ServerView, serverAddress } from "@tacklebox/core";
import type { Colour } from "./colour.ts";
import type { ServerJson } from "./json-shapes.ts";
import { printableLine } from "./printable.ts";
import { formatTable, type TableLook } from "./table.ts";

export const STATUS_COLOURS = {
  connected: "green",
  connecting: "yellow",
  disconnected: "yellow",
  error: "red",
  disabled: "dim",
} as const satisfies Record<ServerView["status"], Colour>;

/** The servers as a table, then the tools that their servers listed and that cannot be used, with the reasons. */
export function formatServers(views: readonly ServerView[], look: TableLook, redact: (text: string) => string): string {
  if (views.length === 0) return "No servers are configured. `tacklebox add` adds one.\n";
  const rows = views.map((view) => [
    view.definition.key,
    { text: view.status, colour: STATUS_COLOURS[view.status] },
    transportOf(view),
    view.info?.protocolVersion ?? "-",
    String(view.toolCount),
    firstLine(redact(view.cause ?? "")),
  ]);
  const table = formatTable(["NAME", "STATUS", "TRANSPORT", "PROTOCOL", "TOOLS", "CAUSE"], rows, look);
  const quarantined = views.flatMap((view) =>
    view.quarantined.map(
      (tool) => `  ${printableLine(`${view.definition.key} ${tool.name}: ${redact(tool.reason)}`)}\n`,
    ),
  );
  return quarantined.length === 0 ? table : `${table}\nQuarantined tools:\n${quarantined.join("")}`;
}

export function toServerJson(view: ServerView, redact: (text: string) => string): ServerJson {
  return {
    name: view.definition.key,
    status: view.status,
    transport: transportOf(view),
    address: serverAddress(view.definition),
    protocol: view.info?.protocolVersion ?? null,
    required: view.definition.required,
    tools: view.toolCount,
    ...(view.cause === undefined ? {} : { cause: redact(view.cause) }),
    ...(view.retry === undefined ? {} : { retry: toRetryJson(view.retry) }),
    oddities: view.oddities,
    quarantined: view.quarantined.map(({ name, reason }) => ({ name, reason: redact(reason) })),
  };
}

function toRetryJson({ failures, nextAttemptAt }: NonNullable<ServerView["retry"]>): NonNullable<ServerJson["retry"]> {
  return { failures, ...(nextAttemptAt === undefined ? {} : { next_attempt_at: nextAttemptAt }) };
}

function transportOf(view: ServerView): string {
  return view.info?.transport ?? view.definition.launch.transport;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
