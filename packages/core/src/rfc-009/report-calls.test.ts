import { describe, expect, it } from "vitest";
import { createTestService, TEST_SERVER_IDS, waitUntil } from "../testing/index.ts";

const [ID] = TEST_SERVER_IDS;

async function connected() {
  const test = createTestService();
  test.connector.server(ID).tools = [{ name: "echo", inputSchema: { type: "object" } }];
  await test.service.addServer({ name: "API", transport: "http", url: "https://example.com/mcp", retryAttempts: 0 });
  await test.service.connect(ID);
  return test;
}

describe("S1.20 reporting calls to listeners", () => {
  it("T1.9 gives every listener its own copy", async () => {
    const { service, calls } = await connected();
    let reported = 0;
    service.onToolCall((call) => {
      reported += 1;
      Object.assign(call.arguments, { a: "changed" });
      Object.assign(call.arguments.deep ?? {}, { b: "changed" });
    });
    const given = { a: 1, deep: { b: 2 } };
    await service.callTool(ID, "echo", given);
    await waitUntil(() => calls.length === 3 && reported === 3);
    expect(calls.map((call) => call.arguments)).toEqual([given, given, given]);
  });

  it("ends at once for a listener that unsubscribes, even if more is on its way", async () => {
    const { service, calls } = await connected();
    const received: string[] = [];
    const stop = service.onToolCall(({ status }) => {
      received.push(status);
      if (status === "running") stop();
    });
    await service.callTool(ID, "echo", {});
    await waitUntil(() => calls.length === 3);
    expect(received).toEqual(["pending", "running"]);
  });

  it("goes on after a listener throws, or if a record cannot be read", async () => {
    const { service, calls, store } = await connected();
    const received: string[] = [];
    service.onToolCall(({ status }) => {
      received.push(status);
      throw new Error("a bug");
    });
    store.calls.load = () => Promise.reject(new Error("The disk is broken"));
    await service.callTool(ID, "echo", {});
    await waitUntil(() => calls.length === 3 && received.length === 3);
    expect(received).toEqual(["pending", "running", "success"]);
    expect(calls.at(-1)).toMatchObject({ status: "success", completedAt: "2026-01-01T00:00:00.000Z" });
    expect(calls.at(-1)).not.toHaveProperty("result");
  });
});
