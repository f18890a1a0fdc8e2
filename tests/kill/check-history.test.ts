import type { CallRecord } from "@tacklebox/core";
import { describe, expect, it } from "vitest";
import { type Acknowledged, findBreaches, type History } from "./check-history.ts";

const content = [{ type: "text", text: "noted a" }];
const record: CallRecord = {
  id: "call-a",
  scope: "agent",
  server: "ledger",
  toolName: "fast",
  shownName: "fast",
  arguments: { marker: "a" },
  status: "success",
  result: { content, isError: false },
  startedAt: "2026-08-01T00:00:00.000Z",
  completedAt: "2026-08-01T00:00:01.000Z",
  owner: "1:2:3",
};
const outcome: Acknowledged = { id: "a", call_id: "call-a", status: "success", content };
const history = { acknowledged: [outcome], ledger: ["a"], records: [record], chainBreaks: [] };
const { result: _result, ...unanswered } = record;

describe("the rules of the call log", () => {
  it("hold for a call that was executed, recorded and acknowledged once", () => {
    expect(findBreaches(history)).toEqual([]);
  });

  it("hold for a call that was interrupted, whether it ran or not", () => {
    const records: CallRecord[] = [{ ...unanswered, status: "error", ending: "interrupted" }];
    expect(findBreaches({ ...history, acknowledged: [], records })).toEqual([]);
    expect(findBreaches({ ...history, acknowledged: [], ledger: [], records })).toEqual([]);
  });

  it.each<[string, History]>([
    ["executed without a record: b", { ...history, ledger: ["a", "b"] }],
    ["executed twice: a", { ...history, ledger: ["a", "a"] }],
    ["recorded twice: a", { ...history, records: [record, { ...record, id: "call-b" }], acknowledged: [] }],
    ["acknowledged without a record: a", { ...history, ledger: [], records: [] }],
    ["left running: a", { ...history, acknowledged: [], records: [{ ...unanswered, status: "running" }] }],
    ["left pending: a", { ...history, acknowledged: [], records: [{ ...unanswered, status: "pending" }] }],
    ["the chain is broken: link 2 is gone", { ...history, chainBreaks: ["link 2 is gone"] }],
    ["recorded as success, never executed: a", { ...history, ledger: [] }],
    [
      "nobody heard of it, and it ended as unreachable: a",
      { ...history, acknowledged: [], records: [{ ...unanswered, status: "error", ending: "unreachable" }] },
    ],
    [
      'acknowledged as {"id":"call-a","status":"success","content":[{"type":"text","text":"noted a"}]}, ' +
        'recorded as {"id":"call-a","status":"error","ending":"interrupted","content":[]}',
      { ...history, records: [{ ...unanswered, status: "error", ending: "interrupted" }] },
    ],
    [
      'acknowledged as {"id":"call-a","status":"success","content":[]}, ' +
        'recorded as {"id":"call-a","status":"success","content":[{"type":"text","text":"noted a"}]}',
      { ...history, acknowledged: [{ ...outcome, content: [] }] },
    ],
  ])("are broken by what is %s", (breach, broken) => {
    expect(findBreaches(broken)).toContain(breach);
  });
});
