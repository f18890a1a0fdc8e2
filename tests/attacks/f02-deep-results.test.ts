import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { startEditor } from "../acp/support/editor.ts";
import { startModel } from "../acp/support/model.ts";
import { faultServer, startFaultHttp } from "../faults/fault-program.ts";
import { callRecords } from "../support/call-records.ts";
import { runProgram } from "../support/program.ts";
import { answer, calls, ofType, runScript } from "../support/run-lines.ts";
import { parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

const DEPTH = 5_000;
const PLACES = ["structured", "annotations", "meta"];
const TOO_DEEP = "The server's answer is nested more than 500 levels deep; ask the tool for less.";

/** Every kind of server, with its tools that answer too deeply. */
const DEEP_TOOLS = [
  ["stdio", "deep"],
  ["http", "deep_json"],
  ["http", "deep_stream"],
  ["sse", "deep_stream"],
  ["custom", "deep_json"],
] as const;

let config: string;

beforeAll(async () => {
  const { origin } = await startFaultHttp();
  config = await toolboxFile({
    toolbox: { collisions: "qualify" },
    servers: {
      stdio: faultServer("tools"),
      http: { url: `${origin}/deep` },
      sse: { transport: "sse", url: `${origin}/sse-deep` },
    },
    custom_tools: ["deep_json", "ping"].map((name) => ({
      name,
      description: `The ${name} endpoint.`,
      endpoint: `${origin}/endpoint/${name}`,
    })),
  });
});

const newData = async () => ({ TACKLEBOX_DATA: join(await temporaryFolder(), "data") });

/** Sends lines to `call --stdin`; returns the outcomes by the id of their line. */
async function callLines(lines: readonly object[], env: Record<string, string>) {
  const stdin = lines.map((line, id) => `${JSON.stringify({ id, ...line })}\n`).join("");
  const { code, stdout } = await runProgram(["call", "--stdin", "--config", config], { stdin, env });
  const outcomes = stdout.trim().split("\n").map(parsed);
  return { code, outcomes: outcomes.sort((one, other) => Number(one.id) - Number(other.id)) };
}

describe("F2: a result nested 5,000 deep", () => {
  it("F2: ends its call and no other in call --stdin, which answers every line", async () => {
    const env = await newData();
    const deep = DEEP_TOOLS.flatMap(([server, tool]) =>
      PLACES.map((place) => ({ server, tool, arguments: { place, levels: DEPTH } })),
    );
    const pings = ["stdio", "http", "sse", "custom"].map((server) => ({ server, tool: "ping" }));
    const { code, outcomes } = await callLines([...deep, ...pings], env);
    expect(outcomes.map(({ ending, error }) => [ending, error])).toEqual([
      ...deep.map(() => ["oversize", TOO_DEEP]),
      ...pings.map(() => [undefined, undefined]),
    ]);
    expect(code).toBe(0);
    const records = await callRecords(env.TACKLEBOX_DATA);
    const count = (wanted: string) => records.filter(({ status }) => status === wanted).length;
    expect([count("error"), count("success")]).toEqual([deep.length, pings.length]);
    expect(records).toHaveLength(deep.length + pings.length);
  });

  it.each(DEEP_TOOLS)("F2: is an ordinary failure of `call` over %s, by %s", async (server, tool) => {
    const env = await newData();
    const args = JSON.stringify({ place: "structured", levels: DEPTH });
    const exit = await runProgram(["call", server, tool, "--args", args, "--config", config], { env });
    expect(exit.code).toBe(3);
    expect(exit.stderr).toContain(TOO_DEEP);
    expect(await callRecords(env.TACKLEBOX_DATA)).toMatchObject([{ status: "error", ending: "oversize" }]);
  });

  it("F2: goes to the model as a failure in `run`, which goes on", async () => {
    const { code, lines } = await runScript(
      [calls(["deep", { place: "structured", levels: DEPTH }]), answer("It failed.")],
      { servers: { stdio: faultServer("tools") } },
    );
    expect(ofType(lines, "call-ended")).toMatchObject([{ ending: "oversize", error: TOO_DEEP }]);
    expect(code).toBe(0);
  });

  it("F2: fails one tool call in an editor, and the prompt goes on", async () => {
    const { model, file } = await startModel({ servers: { stdio: faultServer("tools") }, gpts: {} });
    model.callsTool("deep please", "deep", { place: "meta", levels: DEPTH });
    const editor = await startEditor({ args: ["--config", file] });
    const { sessionId } = await editor.open(await temporaryFolder());
    expect(await editor.prompt(sessionId, "deep please")).toMatchObject({ stopReason: "end_turn" });
    expect(editor.agentText(sessionId)).toContain("done: deep please");
    await editor.waitFor(
      sessionId,
      (update) => update.sessionUpdate === "tool_call_update" && update.status === "failed",
      "the failed call",
    );
  });

  it("F2: may be as deep as 400, and text that is deep JSON is just text", async () => {
    const { outcomes } = await callLines(
      [
        { server: "stdio", tool: "deep", arguments: { place: "structured", levels: 400 } },
        { server: "stdio", tool: "echo", arguments: { text: "[".repeat(DEPTH) + "]".repeat(DEPTH) } },
      ],
      await newData(),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(["success", "success"]);
  });
});

it("F2: a deep notification and a deep question of a server are survived, and the question is answered", async () => {
  const { outcomes } = await callLines(
    [
      { server: "stdio", tool: "deep_notification", arguments: { levels: DEPTH } },
      { server: "stdio", tool: "deep_question", arguments: { levels: DEPTH } },
      { server: "http", tool: "deep_stream", arguments: { place: "none", levels: 1 } },
      { server: "sse", tool: "deep_stream", arguments: { place: "none", levels: 1 } },
    ],
    await newData(),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(["success", "success", "success", "success"]);
  expect(outcomes[1]?.text).toContain("Nested more than 500 levels deep");
});
