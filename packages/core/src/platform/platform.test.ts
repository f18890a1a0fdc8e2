import { describe, expect, it, vi } from "vitest";
import { headlessApprover } from "../call/approvals/headless-approver.ts";
import { ConnectionError } from "../domain/connection.ts";
import {
  approverContract,
  clockContract,
  connectorContract,
  createRecordingLogger,
  createScriptedApprover,
  createScriptedConnector,
  hasherContract,
  loggerContract,
  testDefinition,
  validatorContract,
} from "../testing/index.ts";
import { createValidator } from "../validation/create-validator.ts";
import { systemClock } from "./system-clock.ts";
import { webHasher } from "./web-hasher.ts";

const contracts = {
  systemClock: clockContract(systemClock),
  webHasher: hasherContract(webHasher),
  "the validator": validatorContract(createValidator({ clock: systemClock })),
  headlessApprover: approverContract(() => headlessApprover),
  "the scripted approver": approverContract(() => createScriptedApprover()),
  "the recording logger": loggerContract(() => {
    const logger = createRecordingLogger();
    return { logger, written: () => JSON.stringify(logger.lines) };
  }),
  "the scripted connector": connectorContract(async () => {
    const connector = createScriptedConnector();
    connector.server("s").tools = [{ name: "echo" }];
    connector.server("dead").refuse = new ConnectionError("unreachable", "nobody there");
    return {
      connector,
      definition: testDefinition("s"),
      dead: testDefinition("dead"),
      working: { tool: "echo", arguments: { message: "hi" }, text: "hi" },
    };
  }),
};

for (const [name, cases] of Object.entries(contracts)) {
  describe(name, () => {
    for (const test of cases) it(test.name, test.run);
  });
}

describe("the system clock", () => {
  it("keeps a process for what is to be done, not for what is done in the background", () => {
    const setTimer = vi.spyOn(globalThis, "setTimeout");
    systemClock.after(1_000, () => undefined)();
    systemClock.inBackground(1_000, () => undefined)();
    const timers = setTimer.mock.results.map(({ value }) => value);
    setTimer.mockRestore();
    expect(timers.map((timer) => timer.hasRef())).toEqual([true, false]);
  });

  it("handles input that is already there before a deadline that passed while the process was busy", async () => {
    const order: string[] = [];
    const { port1, port2 } = new MessageChannel();
    const over = new Promise<void>((resolve) => {
      port2.on("message", () => order.push("input"));
      systemClock.after(1, () => {
        order.push("deadline");
        resolve();
      });
    });
    port1.postMessage("an answer");
    const busyUntil = performance.now() + 5;
    while (performance.now() < busyUntil);
    await over;
    port1.close();
    expect(order).toEqual(["input", "deadline"]);
  });
});
