import { existsSync } from "node:fs";
import { describe, expect } from "vitest";
import { faultServer, startFaultProgram } from "../faults/fault-program.ts";
import { callRecords } from "../support/call-records.ts";
import { itAlongside } from "../support/it-alongside.ts";
import { processesWithMarker, until } from "../support/processes.ts";

const settings = { default_tool_config: { timeout: 20 } };

describe.concurrent("F14: a server closes one of its pipes and goes on running", () => {
  itAlongside("F14: a call after it closed its input ends as unreachable, and certainly did not run", async () => {
    const marker = `half-${crypto.randomUUID()}`;
    const half = { ...faultServer("lasting", { OWN: marker }), ...settings };
    const program = await startFaultProgram({ servers: { half } });
    expect(await program.call("half", "close_input")).toMatchObject({ status: "success" });
    const [pid] = processesWithMarker(marker);
    await until(() => !existsSync(`/proc/${pid}/fd/0`), { describe: "its input to be closed" });
    const outcome = await program.call("half", "ping");
    expect(outcome.ending).toBe("unreachable");
    expect(outcome.text).toContain("The server closed its input, but went on running");
    expect(outcome.text).not.toContain("may have run");
    await program.untilWorks("half");
    await until(() => pid !== undefined && !processesWithMarker(marker).includes(pid), {
      describe: "the old process to end",
    });
    await program.end();
    const [record] = (await callRecords(program.data)).filter(({ id }) => id === outcome.call_id);
    expect(record).toMatchObject({ ending: "unreachable" });
  });

  itAlongside("F14: a call during which it closes its output is interrupted, with the reason", async () => {
    const half = { ...faultServer("lasting"), ...settings };
    const program = await startFaultProgram({ servers: { half } });
    const [held, outcome] = await Promise.all([program.call("half", "hold"), program.call("half", "close_output")]);
    for (const { ending, text } of [held, outcome]) {
      expect(ending).toBe("interrupted");
      expect(text).toContain("The server closed its output, but went on running");
    }
    await program.untilWorks("half");
    await program.end();
  });
});
