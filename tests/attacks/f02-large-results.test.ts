import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type FaultProgram, faultServer, startFaultHttp, startFaultProgram } from "../faults/fault-program.ts";
import { callRecords } from "../support/call-records.ts";
import { runProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/workspace.ts";

const TOO_LARGE = "The server's answer is larger than 16 MiB; ask the tool for less.";
const ARGUMENTS = { bytes: 20 * 1024 * 1024 };
const LARGE_TOOLS = [
  ["stdio", "big"],
  ["http", "big_json"],
  ["http", "big_stream"],
  ["sse", "big_stream"],
  ["custom", "big_json"],
] as const;

describe("F2: a result of 20 MiB", () => {
  let program: FaultProgram;

  beforeAll(async () => {
    const { origin } = await startFaultHttp();
    program = await startFaultProgram({
      servers: {
        stdio: faultServer("tools"),
        http: { url: `${origin}/large` },
        sse: { transport: "sse", url: `${origin}/sse-large` },
      },
      customTools: ["big_json", "ping"].map((name) => ({
        name,
        description: `The ${name} endpoint.`,
        endpoint: `${origin}/endpoint/${name}`,
      })),
    });
    await program.steady();
  });

  it.each(LARGE_TOOLS)("F2: ends its call as oversize over %s, by %s, and no other call", async (server, tool) => {
    const [before, large, after] = await Promise.all([
      program.call(server, "ping"),
      program.call(server, tool, ARGUMENTS),
      program.call(server, "ping"),
    ]);
    expect([before.status, large.ending, large.error, after.status]).toEqual([
      "success",
      "oversize",
      TOO_LARGE,
      "success",
    ]);
    expect(await program.call(server, "ping")).toMatchObject({ status: "success" });
  });

  it.each(LARGE_TOOLS)("F2: is an ordinary failure of `call` over %s, by %s", async (server, tool) => {
    const env = { TACKLEBOX_DATA: join(await temporaryFolder(), "data") };
    const args = ["call", server, tool, "--args", JSON.stringify(ARGUMENTS), "--config", program.config];
    const { code, stderr } = await runProgram(args, { env });
    expect(code).toBe(3);
    expect(stderr).toContain(TOO_LARGE);
    expect(await callRecords(env.TACKLEBOX_DATA)).toMatchObject([{ status: "error", ending: "oversize" }]);
  });

  it("F2: leaves nothing behind, and every call in the log as it was answered", () => program.end());
});
