import { expect, it } from "vitest";
import type { CallRecord } from "../domain/call.ts";
import type { Store } from "../ports/store.ts";
import { StoreError } from "../ports/store-error.ts";
import { createKnownSecrets } from "../secrets/known-secrets.ts";
import { createMemoryStore, createTestEngine, testDefinition } from "../testing/index.ts";

const DISK_FULL = new Error("disk full");

/** Makes a call and returns its outcome, and how often it reached the server. */
async function callWith(store: Store) {
  const { host, engine, connector } = createTestEngine({ servers: [testDefinition("s")], ports: { store } });
  connector.server("s").tools = [{ name: "echo", inputSchema: { type: "object" } }];
  await host.start();
  const outcome = await engine.calls.make({ tool: "echo", arguments: {} });
  return { outcome, made: connector.calls.length };
}

const failing = (failSave: (record: CallRecord) => Error | undefined): Store => createMemoryStore({ failSave });

it("makes no call that cannot be recorded", async () => {
  expect(await callWith(failing(() => DISK_FULL))).toMatchObject({
    outcome: {
      failure: {
        ending: "log-unavailable",
        message: "The call log cannot be written (disk full). Make room",
      },
    },
    made: 0,
  });
});

it.each(["damaged", "declared-dead"] as const)(
  "F12: adds no other advice to that of a log that is %s",
  async (code) => {
    const message = "That is so. Run: repair";
    expect(await callWith(failing(() => new StoreError(code, message)))).toMatchObject({
      outcome: {
        failure: { ending: "log-unavailable", message: `The call log cannot be written (${message})` },
      },
      made: 0,
    });
  },
);

it("makes no call when the log throws instead of rejecting", async () => {
  const store = failing(() => undefined);
  const calls = {
    ...store.calls,
    save: () => {
      throw new TypeError("cannot be written as text");
    },
  };
  expect(await callWith({ ...store, calls })).toMatchObject({
    outcome: {
      failure: { ending: "log-unavailable", message: expect.stringContaining("cannot be written as text") },
    },
    made: 0,
  });
});

it("reports that a call ran if its success cannot be recorded", async () => {
  const store = failing(({ status }) => (status === "success" ? DISK_FULL : undefined));
  expect(await callWith(store)).toMatchObject({
    outcome: {
      failure: {
        ending: "log-unavailable",
        message: expect.stringMatching(
          /^The call has run, but its end is not recorded\. The call log cannot be written/,
        ),
      },
    },
    made: 1,
  });
});

it("reports how a call failed if its failure cannot be recorded, without secrets", async () => {
  const store = failing(({ status }) => (status === "error" ? DISK_FULL : undefined));
  const knownSecrets = createKnownSecrets();
  knownSecrets.add(["sk-4f7e2c9a"]);
  const { host, engine } = createTestEngine({ servers: [testDefinition("s")], ports: { store, knownSecrets } });
  await host.start();
  expect(await engine.calls.make({ tool: "echo-sk-4f7e2c9a", arguments: {} })).toMatchObject({
    failure: {
      ending: "log-unavailable",
      message: expect.stringMatching(/^Unknown tool 'echo-\[redacted\]'.*\. The call log cannot be written/),
    },
  });
});
