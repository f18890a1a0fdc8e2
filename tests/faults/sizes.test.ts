import { beforeAll, describe, expect } from "vitest";
import { until } from "../support/processes.ts";
import { fault } from "./fault.ts";
import { type FaultHttp, type FaultProgram, faultServer, startFaultHttp, startFaultProgram } from "./fault-program.ts";
import { growthDuring } from "./memory.ts";

const MB = 1024 * 1024;
const ALLOWED_GROWTH = 150 * MB;

let web: FaultHttp;
let program: FaultProgram;

beforeAll(async () => {
  web = await startFaultHttp();
  program = await startFaultProgram({
    servers: {
      big: faultServer("tools"),
      endless: { ...faultServer("tools"), default_tool_config: { timeout: 4 } },
      pages: faultServer("huge-pages"),
      json: { url: `${web.origin}/json` },
      stream: { url: `${web.origin}/stream` },
      bomb: { url: `${web.origin}/bomb` },
      error: { url: `${web.origin}/error` },
    },
  });
  await program.steady();
});

/** These run one after another, because they measure memory. */
async function expectBounded(
  server: string,
  tool: string,
  args: object,
  ending: string,
  seen: (what: string) => void,
): Promise<string> {
  let text = "";
  const growth = await growthDuring(program.running.pid, async () => {
    const [outcome] = await Promise.all([program.call(server, tool, args), program.steady()]);
    expect(outcome.ending).toBe(ending);
    text = outcome.text;
  });
  expect(growth).toBeLessThan(ALLOWED_GROWTH);
  expect(text.length).toBeLessThan(4_096);
  await program.untilWorks(server);
  seen(`${ending}, +${Math.round(growth / MB)} MB`);
  return text;
}

const OVERSIZE = "oversize, that call only, and less than 150 MB more memory";

describe("answers that are too large", () => {
  fault({ id: "big-stdio", fault: "a result of 200 MB over stdio", promised: OVERSIZE }, async (seen) => {
    const held = program.call("big", "late", { ms: 200 });
    const text = await expectBounded("big", "big", { bytes: 200 * MB }, "oversize", seen);
    expect(text).toContain("larger than 16 MiB");
    expect(await held).toMatchObject({ status: "success" });
  });

  fault({ id: "big-json", fault: "a result of 200 MB as JSON over HTTP", promised: OVERSIZE }, async (seen) => {
    expect(await expectBounded("json", "big_json", { bytes: 200 * MB }, "oversize", seen)).toContain("16 MiB");
  });

  fault({ id: "big-sse", fault: "a result of 200 MB as an event stream", promised: OVERSIZE }, async (seen) => {
    expect(await expectBounded("stream", "big_stream", { bytes: 200 * MB }, "oversize", seen)).toContain("16 MiB");
  });

  fault({ id: "gzip-bomb", fault: "200 KB that inflate to 200 MB", promised: OVERSIZE }, async (seen) => {
    expect(await expectBounded("bomb", "gzip_bomb", { bytes: 200 * MB }, "oversize", seen)).toContain("16 MiB");
  });

  fault(
    {
      id: "big-error",
      fault: "an error of 50 MB over HTTP",
      promised: "protocol-error with the status, a short text and less than 150 MB more memory",
    },
    async (seen) => {
      expect(await expectBounded("error", "big_error", { bytes: 50 * MB }, "protocol-error", seen)).toContain("500");
    },
  );

  fault(
    {
      id: "endless-line",
      fault: "a line on stdout that never ends",
      promised: "the call ends, the server is replaced, less than 150 MB more memory",
    },
    async (seen) => {
      let ending: string | undefined;
      const growth = await growthDuring(program.running.pid, async () => {
        const [outcome] = await Promise.all([program.call("endless", "endless_line"), program.steady()]);
        ending = outcome.ending;
        expect(["oversize", "timed-out"]).toContain(ending);
        await program.untilWorks("endless");
      });
      expect(growth).toBeLessThan(ALLOWED_GROWTH);
      seen(`${ending}, works again, +${Math.round(growth / MB)} MB`);
    },
  );
});

describe("afterwards", () => {
  fault(
    {
      id: "sizes-after",
      fault: "the program ends after all of these",
      promised: "exit 0, no process left, no request left open, every call in the log as it was answered",
    },
    async (seen) => {
      for (const path of ["/json", "/stream", "/bomb", "/error"]) {
        await until(async () => (await web.seen(path)).open === 0, { describe: `no open reply at ${path}` });
      }
      await program.end();
      seen("nothing left, log complete");
    },
  );
});
