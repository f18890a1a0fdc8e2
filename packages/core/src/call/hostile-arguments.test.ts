import { describe, expect, it } from "vitest";
import type { CallOutcome } from "../domain/call.ts";
import { createTestEngine, testDefinition } from "../testing/index.ts";

function failureOf(outcome: CallOutcome) {
  return outcome.status === "error"
    ? { ending: outcome.failure.ending, message: outcome.failure.message }
    : outcome.status;
}

describe("T26 arguments that try to reach the prototype of all objects", () => {
  const open = { name: "open", inputSchema: { type: "object" } };
  const poison = JSON.parse(
    '{"__proto__": {"polluted": true}, "a": [{"constructor": {"prototype": {"polluted": 1}}}]}',
  );

  it("are refused, recorded whole, and change nothing", async () => {
    const { connector, host, engine, store } = createTestEngine({ servers: [testDefinition("echoer")] });
    connector.server("echoer").tools = [open];
    await host.start();
    const before = Object.getOwnPropertyNames(Object.prototype);
    const outcome = await engine.calls.make({ tool: "open", arguments: poison });
    expect(failureOf(outcome)).toEqual({
      ending: "invalid-arguments",
      message: `Invalid arguments for tool 'open': arguments: has the property "__proto__", which the tool's schema does not declare; /a/0: has the property "constructor", which the tool's schema does not declare; /a/0/constructor: has the property "prototype", which the tool's schema does not declare`,
    });
    const [record] = await store.calls.list({ limit: 1 });
    expect(JSON.stringify(record?.arguments)).toBe(JSON.stringify(poison));
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  });

  it("T27 and endlessly nested arguments are refused too", async () => {
    const { connector, host, engine } = createTestEngine({ servers: [testDefinition("echoer")] });
    connector.server("echoer").tools = [open];
    await host.start();
    const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`);
    expect(failureOf(await engine.calls.make({ tool: "open", arguments: deep }))).toEqual({
      ending: "invalid-arguments",
      message: "Invalid arguments for tool 'open': arguments: must not be nested more than 100 levels deep",
    });
  });
});
