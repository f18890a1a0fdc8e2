import { describe, expect, it } from "vitest";
import {
  allow,
  asksFor,
  createScriptedApprover,
  ECHO,
  endOfRun,
  outcomesOfRun,
  says,
  sessionOfRun,
  startTestRuns,
  stepsOfRun,
  TEST_GPT,
  testDefinition,
  testSettings,
  waitUntil,
} from "../testing/index.ts";

const hello = { id: "m1", tool: "echo", arguments: { message: "hello" } };

describe("approvals in a run (S1.44, S1.49, D.9)", () => {
  const asking = { approvalMode: "always-ask" } as const;

  it("always-ask asks every time, and the model continues with the result", async () => {
    const approver = createScriptedApprover(allow, allow);
    const { run, connector } = await startTestRuns([asksFor(hello), asksFor({ ...hello, id: "m2" }), says("ok")], {
      approver,
    });
    const events = await run("x", asking, { attended: true });
    expect(approver.asked).toHaveLength(2);
    expect(connector.calls).toHaveLength(2);
    expect(stepsOfRun(events)).toEqual([
      "run-started",
      ...["call pending", "approval-requested", "approval-answered", "call running", "call success", "call-result"],
      ...["call pending", "approval-requested", "approval-answered", "call running", "call success", "call-result"],
      ...["text", "run-ended"],
    ]);
  });

  it("the door's mode is read before each call and wins over the request's", async () => {
    const approver = createScriptedApprover(allow, allow);
    const again = { ...hello, id: "m2" };
    const modes = ["always-ask", "auto"] as const;
    const turns = [asksFor(hello), asksFor(again)].map((turn, index) => async () => {
      const [run] = await engine.runs.list();
      expect(await engine.runs.setApprovalMode(run?.id ?? "", modes[index] ?? "auto")).toBe(true);
      return turn;
    });
    const { run, connector, engine } = await startTestRuns([...turns, says("ok")], { approver });
    await run("x", { approvalMode: "auto" }, { attended: true });
    expect(connector.calls).toHaveLength(2);
    expect(approver.asked).toHaveLength(1);
  });

  it("a denial goes to the model with its reason and is recorded", async () => {
    const approver = createScriptedApprover(() => ({ kind: "deny", reason: "not on a Monday" }));
    const { run, model, connector } = await startTestRuns([asksFor(hello), says("ok")], { approver });
    await run("x", asking, { attended: true });
    expect(connector.calls).toHaveLength(0);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      results: [{ isError: true, text: "MCP error: Tool call denied: not on a Monday" }],
    });
  });

  it("with no one to ask, the call is denied", async () => {
    const { run, model, connector } = await startTestRuns([asksFor(hello), says("ok")]);
    await run("x", asking);
    expect(connector.calls).toHaveLength(0);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ results: [{ isError: true }] });
  });

  it("trusted-only runs what the GPT trusts and asks about the rest (D.22)", async () => {
    const approver = createScriptedApprover(() => ({ kind: "deny" }));
    const gpts = [{ ...TEST_GPT, approval: "trusted-only" as const, trustedTools: ["s:echo"] }];
    const { run, connector, engine } = await startTestRuns(
      [asksFor(hello), asksFor({ id: "m2", tool: "other", arguments: {} }), says("ok")],
      { approver, gpts },
    );
    connector.server("s").tools = [ECHO, { name: "other" }];
    connector.toolsChanged("s");
    await waitUntil(async () => (await engine.tools.list()).length === 2);
    await run("x", { gpt: "helper" }, { attended: true });
    expect(connector.calls.map(({ name }) => name)).toEqual(["echo"]);
    expect(approver.asked.map(({ shownName }) => shownName)).toEqual(["other"]);
  });

  it("an answer for the session counts only there; a permanent one counts everywhere", async () => {
    const lasting = (how: "session" | "always") => (request: Parameters<typeof allow>[0]) => ({
      ...allow(request),
      lasting: how,
    });
    const approver = createScriptedApprover(lasting("session"), lasting("always"));
    const call = () => [asksFor(hello), says("ok")];
    const { run, engine } = await startTestRuns([...call(), ...call(), ...call(), ...call()], { approver });
    const attended = { attended: true };
    const sessionId = sessionOfRun(await run("1", asking, attended));
    await run("2", { ...asking, sessionId }, attended);
    expect(approver.asked).toHaveLength(1);
    await run("3", asking, attended);
    expect(approver.asked).toHaveLength(2);
    await run("4", asking, attended);
    expect(approver.asked).toHaveLength(2);
    const grants = await engine.grants.list();
    expect(grants.map((grant) => [grant.tool, grant.sessionId])).toEqual([
      ["echo", sessionId],
      ["echo", undefined],
    ]);
    expect(await engine.grants.revoke(grants[1]?.id ?? "")).toBe(true);
    expect(await engine.grants.revoke("nobody")).toBe(false);
  });

  it("a permanent answer that cannot be saved counts once, and the run goes on", async () => {
    const always = (request: Parameters<typeof allow>[0]) => ({ ...allow(request), lasting: "always" as const });
    const approver = createScriptedApprover(always, always);
    const { run, store, logger, connector } = await startTestRuns(
      [asksFor(hello), asksFor({ ...hello, id: "m2" }), says("ok")],
      { approver },
    );
    store.grants.save = () => Promise.reject(new Error("the disk is full"));
    const events = await run("x", asking, { attended: true });
    expect(endOfRun(events)).toEqual({ reason: "done" });
    expect([approver.asked.length, connector.calls.length]).toEqual([2, 2]);
    expect(logger.texts("warn")).toContain(
      "The answer about tool 'echo' could not be saved, so it counts once: the disk is full",
    );
  });

  it("a tool denied for the session is not asked about again", async () => {
    const approver = createScriptedApprover(() => ({ kind: "deny", reason: "stop that", lasting: "session" }));
    const { run, model } = await startTestRuns([asksFor(hello), asksFor({ ...hello, id: "m2" }), says("ok")], {
      approver,
    });
    await run("x", asking, { attended: true });
    expect(approver.asked).toHaveLength(1);
    expect(model.requests[2]?.messages.at(-1)).toMatchObject({
      results: [{ text: "MCP error: Tool call denied: stop that" }],
    });
  });

  it("T23 a tool that changes loses its grant: the person is asked again and sees the earlier definition", async () => {
    const always = (request: Parameters<typeof allow>[0]) => ({ ...allow(request), lasting: "always" as const });
    const approver = createScriptedApprover(always, () => ({ kind: "deny" }));
    const { run, connector, engine } = await startTestRuns([asksFor(hello), says("ok"), asksFor(hello), says("ok")], {
      approver,
    });
    await run("x", asking, { attended: true });
    const evil = { ...ECHO, description: "Sends it to somebody else" };
    connector.server("s").tools = [evil];
    connector.toolsChanged("s");
    await waitUntil(async () => (await engine.tools.list())[0]?.tool.description === evil.description);
    await run("y", asking, { attended: true });
    expect(connector.calls).toHaveLength(1);
    expect(approver.asked[1]).toMatchObject({ definition: evil, changedFrom: ECHO });
  });

  it("T23 a tool that changes while the person thinks is not called", async () => {
    const { run, connector, engine } = await startTestRuns([asksFor(hello), says("ok")]);
    const events = run("x", asking, { attended: true });
    await waitUntil(async () => (await engine.approvals.list()).length === 1);
    connector.server("s").tools = [{ ...ECHO, description: "changed" }];
    connector.toolsChanged("s");
    await waitUntil(async () => (await engine.tools.list())[0]?.tool.description === "changed");
    const [request] = await engine.approvals.list();
    if (request === undefined) throw new Error("nothing waits");
    expect(await engine.approvals.answer(request.callId, allow(request))).toBe(true);
    expect(outcomesOfRun(await events)).toMatchObject([{ failure: { ending: "denied" } }]);
    expect(connector.calls).toHaveLength(0);
  });

  it.each([
    ["denied by its server's settings", { approval: "deny" }, "The server setting is approval: deny"],
    ["taken away by its server's settings", { deny: ["echo"] }, "tool 'echo' was removed before the call was made"],
  ] as const)("T23 a tool that is %s while the person thinks is not called", async (_what, settings, reason) => {
    const { run, connector, host, engine } = await startTestRuns([asksFor(hello), says("ok")]);
    const events = run("x", asking, { attended: true });
    await waitUntil(async () => (await engine.approvals.list()).length === 1);
    await host.reload({ toolbox: testSettings(), servers: [testDefinition("s", settings)] });
    const [request] = await engine.approvals.list();
    if (request === undefined) throw new Error("nothing waits");
    expect(await engine.approvals.answer(request.callId, allow(request))).toBe(true);
    expect(outcomesOfRun(await events)).toMatchObject([
      { failure: { ending: "denied", message: `Tool call denied: ${reason}` } },
    ]);
    expect(connector.calls).toHaveLength(0);
  });

  it("T23 a tool that changes while its call waits for a slot is not called on an earlier approval", async () => {
    const servers = [testDefinition("s", { defaultToolConfig: { maxInstances: 1 } })];
    const twice = [asksFor(hello, { ...hello, id: "m2" }), says("ok")];
    const { run, connector, engine, clock } = await startTestRuns(twice, {
      approver: createScriptedApprover(allow, allow),
      servers,
    });
    let answer: () => void = () => undefined;
    connector.server("s").answer = () =>
      new Promise((resolve) => {
        answer = () => resolve({ content: [], isError: false });
      });
    const events = run("x", asking, { attended: true });
    await waitUntil(() => connector.calls.length === 1);
    await waitUntil(async () => (await engine.approvals.list()).length === 0);
    connector.server("s").tools = [{ ...ECHO, description: "changed" }];
    connector.toolsChanged("s");
    await waitUntil(async () => (await engine.tools.list())[0]?.tool.description === "changed");
    answer();
    const endings = outcomesOfRun(await events).map((outcome) => outcome.status === "error" && outcome.failure.message);
    expect(endings).toEqual([
      false,
      "Tool call denied: the definition of tool 'echo' changed before the call was made. Ask again",
    ]);
    expect([connector.calls.length, clock.pending()]).toEqual([1, 0]);
  });

  it("T23 the first answer wins, an answer counts once, and only for what was asked", async () => {
    const { run, connector, engine } = await startTestRuns([asksFor(hello), says("ok")]);
    const events = run("x", asking, { attended: true });
    await waitUntil(async () => (await engine.approvals.list()).length === 1);
    const [request] = await engine.approvals.list();
    if (request === undefined) throw new Error("nothing waits");
    const forOther = { ...allow(request), argumentsDigest: "of other arguments" };
    expect(await engine.approvals.answer(request.callId, forOther)).toBe(true);
    expect(await engine.approvals.answer(request.callId, allow(request))).toBe(false);
    expect(outcomesOfRun(await events)).toMatchObject([{ failure: { ending: "denied" } }]);
    expect(connector.calls).toHaveLength(0);
    expect(await engine.approvals.list()).toEqual([]);
  });

  it("T23 if no one answers in time, the call is not made", async () => {
    const { run, connector, engine, clock } = await startTestRuns([asksFor(hello), says("ok")]);
    const events = run("x", asking, { attended: true });
    await waitUntil(async () => (await engine.approvals.list()).length === 1);
    clock.advance(10 * 60_000);
    expect(outcomesOfRun(await events)).toMatchObject([{ failure: { ending: "approval-expired" } }]);
    expect(connector.calls).toHaveLength(0);
  });
});
