import type { CallRecord } from "@tacklebox/core";

/** A running call with the given changes. */
export function sampleCall(changes: Partial<CallRecord> = {}): CallRecord {
  return {
    id: "call-1",
    scope: "agent",
    server: "customers",
    toolName: "get_customer",
    shownName: "get_customer",
    arguments: { id: 7 },
    status: "running",
    startedAt: "2026-08-01T10:00:00.000Z",
    owner: "mine",
    ...changes,
  };
}
