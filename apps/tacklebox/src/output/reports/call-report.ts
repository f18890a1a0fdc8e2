import { type CallRecord, formatBytes, recordText, wholeOf } from "@tacklebox/core";
import { formatCallTimes } from "../call-times.ts";
import type { Paint } from "../colour.ts";
import { printableJson, printableLine, printableText } from "../printable.ts";

/** Everything that is kept of one call. */
export function formatCall(call: CallRecord, paint: Paint): string {
  const facts = factsOf(call);
  const width = Math.max(...facts.map(([about]) => about.length));
  const lines = facts.map(([about, text]) => `${paint(about.padEnd(width), "bold")}  ${printableLine(text)}\n`);
  const result = recordText(call);
  return [
    ...lines,
    `\n${paint("Arguments", "bold")}\n${printableJson(JSON.stringify(call.arguments, undefined, 2))}\n`,
    ...(result === undefined ? [] : [`\n${paint("Result", "bold")}\n${printableText(result).trimEnd()}\n`]),
  ].join("");
}

type Fact = readonly [about: string, text: string];

function factsOf(call: CallRecord): readonly Fact[] {
  const { id, server, toolName, shownName, status, ending, startedAt, completedAt, caller, times, decision } = call;
  const named = shownName === toolName ? "" : `, called as ${shownName}`;
  return [
    ["Call", id],
    ["Tool", server === "" ? toolName : `${toolName} of server '${server}'${named}`],
    ["Status", ending ?? status],
    ["Started", startedAt],
    ...fact("Ended", completedAt),
    ...fact(
      "Time",
      times === undefined ? undefined : formatCallTimes(times, call.status === "success" || call.sent !== false),
    ),
    ...fact("Asked by", caller === undefined ? undefined : describeCaller(caller)),
    ...fact("Session", caller?.sessionId),
    ...fact("On behalf of", caller?.principal),
    ...fact("Decision", decision === undefined || decision === "" ? undefined : describeDecision(decision)),
    ...fact("Sent", describeSent(call)),
    ...fact("Late answer", call.lateAnswerAt),
    ...fact("Kept", describeKept(call)),
  ];
}

function fact(about: string, text: string | undefined): readonly Fact[] {
  return text === undefined ? [] : [[about, text]];
}

const DOORS = {
  cli: "the command line",
  chat: "a chat in the terminal",
  acp: "an editor",
  web: "a web page",
  api: "a program, through the API",
  mcp: "an MCP client",
  code: "a program that embeds Tacklebox",
} as const satisfies Record<NonNullable<CallRecord["caller"]>["door"], string>;

function describeCaller({ door, client }: NonNullable<CallRecord["caller"]>): string {
  return client === undefined ? DOORS[door] : `${DOORS[door]} (${client})`;
}

/** A decision is recorded as the layer of the policy that made it and the reason, which says enough but for people. */
function describeDecision(decision: string): string {
  const [, layer = "", reason = decision] = /^(\w+): (.*)$/s.exec(decision) ?? [];
  return layer === "person" ? `a person ${reason}` : `allowed: ${reason}`;
}

function describeSent({ status, sent }: CallRecord): string | undefined {
  if (status !== "error" || sent === undefined) return undefined;
  return sent ? "yes; the server may have run it" : "no; the server never got it";
}

function describeKept({ result }: CallRecord): string | undefined {
  const whole = result === undefined ? undefined : wholeOf(result);
  return whole === undefined ? undefined : `only part of a ${formatBytes(whole.bytes)} result`;
}
