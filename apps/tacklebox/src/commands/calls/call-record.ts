import {
  type Caller,
  type CallQuery,
  type CallRecord,
  type CallStatus,
  type CallTimes,
  formatBytes,
  wholeOf,
} from "@tacklebox/core";
import type { CommonOptions } from "../../command-options.ts";
import type { Colour } from "../../output/colour.ts";
import type { CallJson } from "../../output/json/json-shapes.ts";

/** Selects the calls of the log to show. */
export interface WantedCalls extends CommonOptions {
  readonly server: string | undefined;
  readonly tool: string | undefined;
  readonly status: CallStatus | undefined;
  readonly limit: number;
}

export function toQuery({ server, tool, status, limit }: WantedCalls): CallQuery {
  return {
    limit,
    ...(server === undefined ? {} : { server }),
    ...(tool === undefined ? {} : { toolName: tool }),
    ...(status === undefined ? {} : { status }),
  };
}

export const CALL_STATUS_COLOURS = {
  pending: "yellow",
  running: "yellow",
  success: "green",
  error: "red",
} as const satisfies Record<CallStatus, Colour>;

/**
 * How long the call ran, as it was measured: the times it started and ended at are no measure, since the clock may have
 * been set in between. A call that another process ended, or an older version recorded, was not measured.
 */
export function durationOf({ times }: CallRecord): string {
  return times === undefined ? "-" : toSeconds(times.runMs);
}

/** How long the call waited for a person and for a free slot before it ran. */
export function waitOf({ times }: CallRecord): string {
  const waitedMs = times === undefined ? 0 : times.personMs + times.slotMs;
  return Math.round(waitedMs) === 0 ? "-" : toSeconds(waitedMs);
}

function toSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(3)} s`;
}

/** The door a call came through, and the client's name if it gave one. */
export function calledFrom({ caller }: CallRecord): string {
  if (caller === undefined) return "-";
  return caller.client === undefined ? caller.door : `${caller.door} (${caller.client})`;
}

export function toCallJson(call: CallRecord): CallJson {
  return {
    id: call.id,
    server: call.server,
    tool: call.toolName,
    shown_name: call.shownName,
    arguments: call.arguments,
    status: call.status,
    ...(call.ending === undefined ? {} : { ending: call.ending }),
    ...(call.error === undefined ? {} : { error: call.error }),
    ...(call.result === undefined ? {} : { result: call.result }),
    ...wholeResultJson(call),
    ...(call.decision === undefined ? {} : { decision: call.decision }),
    started_at: call.startedAt,
    ...(call.completedAt === undefined ? {} : { completed_at: call.completedAt }),
    ...(call.lateAnswerAt === undefined ? {} : { late_answer_at: call.lateAnswerAt }),
    ...(call.caller === undefined ? {} : { caller: toCallerJson(call.caller) }),
    ...(call.times === undefined ? {} : toTimesJson(call.times)),
    ...(call.sent === undefined ? {} : { sent: call.sent }),
  };
}

function wholeResultJson({ result }: CallRecord): Pick<CallJson, "whole_result"> {
  const whole = result === undefined ? undefined : wholeOf(result);
  return whole === undefined ? {} : { whole_result: whole };
}

/** The last column: how a call failed, and what else is special about it. */
export function noteOf(call: CallRecord): string {
  const error = call.error?.split("\n", 1)[0] ?? "";
  const whole = call.result === undefined ? undefined : wholeOf(call.result);
  const cut = whole === undefined ? "" : `A part of its ${formatBytes(whole.bytes)} result was kept`;
  return [error, lateAnswer(call), cut].filter((text) => text !== "").join(". ");
}

function lateAnswer({ completedAt, lateAnswerAt }: CallRecord): string {
  if (completedAt === undefined || lateAnswerAt === undefined) return "";
  // Older versions took both times from a clock that may have been set in between.
  const seconds = (Date.parse(lateAnswerAt) - Date.parse(completedAt)) / 1000;
  return seconds < 0 ? "It answered later" : `It answered ${seconds.toFixed(3)} s later`;
}

function toCallerJson({ door, client, sessionId, principal }: Caller): NonNullable<CallJson["caller"]> {
  return {
    door,
    ...(client === undefined ? {} : { client }),
    ...(sessionId === undefined ? {} : { session_id: sessionId }),
    ...(principal === undefined ? {} : { principal }),
  };
}

function toTimesJson({ personMs, slotMs, runMs }: CallTimes) {
  return { waited_for_person_ms: personMs, waited_for_slot_ms: slotMs, ran_ms: runMs };
}
