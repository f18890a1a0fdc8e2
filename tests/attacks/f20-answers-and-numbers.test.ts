import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { faultServer, startFaultHttp } from "../faults/fault-program.ts";
import { callRecords } from "../support/call-records.ts";
import { runProgram } from "../support/program.ts";
import { answer, calls, ofType, runScript } from "../support/run-lines.ts";
import { parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

let config: string;

beforeAll(async () => {
  const { origin } = await startFaultHttp();
  config = await toolboxFile({
    toolbox: { collisions: "qualify" },
    servers: { stdio: faultServer("tools"), http: { url: `${origin}/numbers` } },
  });
});

const newData = async () => ({ TACKLEBOX_DATA: join(await temporaryFolder(), "data") });

it.each(["stdio", "http"])("F20: an answer with a result and an error is no success over %s", async (server) => {
  const env = await newData();
  const { code, stdout } = await runProgram(["call", server, "contradicts", "--json", "--config", config], { env });
  expect(parsed(stdout)).toMatchObject({
    status: "error",
    ending: "protocol-error",
    error: "The server sent an answer with both a result and an error; the call may have run: it failed",
  });
  expect(code).toBe(3);
  expect(await callRecords(env.TACKLEBOX_DATA)).toMatchObject([{ status: "error", ending: "protocol-error" }]);
});

it.each([
  ["9007199254740993", '{"id":9007199254740993}', "/id"],
  ["1e400", '{"list":[{"n":1e400}]}', "/list/0/n"],
])("F20: %s in arguments is refused, never sent as another number", async (written, args, path) => {
  const env = await newData();
  const line = `{"id":"x","server":"stdio","tool":"echo","arguments":${args}}\n`;
  const piped = await runProgram(["call", "--stdin", "--config", config], { stdin: line, env });
  expect(parsed(piped.stdout)).toMatchObject({
    id: "x",
    status: "error",
    ending: "invalid-arguments",
    error: `line 1: the number ${written} at /arguments${path} cannot be kept exactly; write it as a string`,
  });
  const typed = await runProgram(["call", "stdio", "echo", "--args", args, "--config", config], { env });
  expect(typed).toMatchObject({ code: 2, stdout: "" });
  expect(typed.stderr).toContain(`--args: the number ${written} at ${path} cannot be kept exactly`);
  expect(await callRecords(env.TACKLEBOX_DATA)).toEqual([]);
});

it("F20: a number of a model that cannot be kept exactly goes back to it as a failure", async () => {
  const { lines } = await runScript([calls(["echo", '{"id":12345678901234567890}']), answer("Sorry.")], {
    servers: { stdio: faultServer("tools") },
  });
  expect(ofType(lines, "call-ended")).toMatchObject([
    {
      ending: "invalid-arguments",
      error: expect.stringContaining("the number 12345678901234567890 at /id cannot be kept exactly"),
    },
  ]);
});

it.each(["stdio", "http"])("F20: a result over %s says that a number was rounded", async (server) => {
  const env = await newData();
  await runProgram(["call", server, "big_numbers", "--config", config], { env });
  const [record] = await callRecords(env.TACKLEBOX_DATA);
  expect(record).toMatchObject({
    status: "success",
    result: {
      meta: {
        "tacklebox/inexactNumbers":
          "The server sent numbers that could not be kept exactly: 9007199254740993 at /structuredContent/id",
      },
    },
  });
});
