import { describe, expect } from "vitest";
import { until } from "../support/processes.ts";
import { parsed } from "../support/toolbox-file.ts";
import { fault } from "./fault.ts";
import { startFaultHttp, startFaultProgram } from "./fault-program.ts";

const SILENCE_MS = 310_000;
const WITHIN_MS = 500_000;

describe("minutes of silence", () => {
  fault(
    {
      id: "silent-300s",
      fault: "a tool that answers after 310 s over HTTP, as JSON and as an event stream",
      promised: "no clock but the tool's own (400 s) ends it: both answers arrive",
    },
    async (seen) => {
      const web = await startFaultHttp();
      const patient = { url: `${web.origin}/patient`, default_tool_config: { timeout: "PT400S" } };
      const { running, end } = await startFaultProgram({ servers: { patient } });
      for (const tool of ["answers_late", "streams_late"]) {
        const line = { id: tool, server: "patient", tool, arguments: { ms: SILENCE_MS } };
        running.write(`${JSON.stringify(line)}\n`);
      }
      const answers = () => running.stdout().split("\n").slice(0, -1).map(parsed);
      await until(() => answers().length === 2, { describe: "both answers", withinMs: WITHIN_MS });
      expect(answers().map(({ status, text }) => ({ status, text }))).toEqual([
        { status: "success", text: `after ${SILENCE_MS} ms` },
        { status: "success", text: `after ${SILENCE_MS} ms` },
      ]);
      await end();
      seen("both answered");
    },
  );
});
