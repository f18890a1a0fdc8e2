import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { LANGUAGES, modelEntry, startAimock, startScriptedVendor } from "../support/model-servers.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { answer, calls, linesOf, modelText, ofType, runScript } from "../support/run-lines.ts";
import { everythingPath, filesystemPath } from "../support/servers.ts";
import { fixtureServer, nodeServer, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

const OfferedTool = z.object({
  name: z.string().optional(),
  description: z.string().optional(),
  parameters: z.unknown().optional(),
  input_schema: z.unknown().optional(),
});
/** A request's tools in any vendor's format; OpenAI's chat API wraps each in `function`. */
const Offered = z.object({ tools: z.array(OfferedTool.extend({ function: OfferedTool.optional() })) });

describe.each(LANGUAGES)("a model that speaks %s, and real servers", (language) => {
  /** Sets up aimock, server-everything and server-filesystem; the model reads a file, then echoes what it read. */
  async function setUp() {
    const mock = await startAimock();
    const folder = await temporaryFolder();
    const file = join(folder, "notes.txt");
    await writeFile(file, "the answer is 42");
    const read = { name: "read_text_file", arguments: JSON.stringify({ path: file }), id: "call_read" };
    const sum = { name: "get-sum", arguments: '{"a":40,"b":2}', id: "call_sum" };
    const echo = { name: "echo", arguments: '{"message":"forty-two"}', id: "call_echo" };
    const first = { userMessage: "look", hasToolResult: false };
    mock.on(first, { content: "I will look.", toolCalls: [read, sum] });
    mock.on({ toolResultContains: "Echo: forty-two" }, { content: "It says 42." });
    mock.on({ userMessage: "look", hasToolResult: true }, { toolCalls: [echo] });
    const config = await toolboxFile({
      models: { m: modelEntry(language, mock.url) },
      servers: { everything: nodeServer(everythingPath), files: nodeServer(filesystemPath, folder) },
    });
    return { mock, config };
  }

  it("S2.1 S2.8 C1.6 S1.42 runs a prompt to its end over two tool rounds, two calls at once", async () => {
    const { mock, config } = await setUp();
    const { code, stdout, stderr } = await runProgram(["run", "look", "--json", "--config", config]);
    const lines = linesOf(stdout);
    expect([code, stderr]).toEqual([0, ""]);
    expect(lines[0]).toMatchObject({ type: "run-started", model: "m", session_id: expect.any(String) });
    expect(lines.at(-1)).toEqual({ type: "run-ended", reason: "done" });
    expect(modelText(lines)).toBe("I will look.It says 42.");
    const ended = ofType(lines, "call-ended").map(({ server, tool, status, text }) => [server, tool, status, text]);
    expect(ended).toHaveLength(3);
    expect(ended).toEqual(
      expect.arrayContaining([
        ["files", "read_text_file", "success", "the answer is 42"],
        ["everything", "get-sum", "success", "The sum of 40 and 2 is 42."],
        ["everything", "echo", "success", "Echo: forty-two"],
      ]),
    );
    expect(mock.getRequests()).toHaveLength(3);
  });

  it("S2.1 S2.4 S2.13 S1.46 the model is offered every tool of every server: name, description and parameters", async () => {
    const everything = { servers: { everything: nodeServer(everythingPath) } };
    const { requests } = await runScript([answer("ok")], everything, { language });
    const { stdout } = await runProgram(["tools", "--json", "--config", await toolboxFile(everything)]);
    const listed = z.object({ tools: z.array(z.object({ name: z.string(), description: z.string() })) });
    const wanted = listed.parse(JSON.parse(stdout)).tools;
    expect(wanted.length).toBeGreaterThan(5);
    const offered = Offered.parse(JSON.parse(requests[0]?.body ?? "")).tools.map((tool) => tool.function ?? tool);
    expect(offered.map(({ name, description }) => ({ name, description }))).toEqual(
      wanted.map(({ name, description }) => ({ name, description })),
    );
    const { parameters, input_schema } = offered.find(({ name }) => name === "echo") ?? {};
    expect(parameters ?? input_schema).toMatchObject({ type: "object", required: ["message"] });
  });

  it("a rate limit and an answer that breaks off end the run with exit 3, and say why", async () => {
    const mock = await startAimock();
    const busy = { message: "Slow down", type: "rate_limit_error" };
    mock.on({ userMessage: "busy" }, { error: busy, status: 429, retryAfter: 3 });
    mock.on(
      { userMessage: "tell" },
      { content: "This answer will be cut off" },
      { truncateAfterChunks: 3, latency: 100 },
    );
    const config = await toolboxFile({ servers: {}, models: { m: modelEntry(language, mock.url) } });
    const limited = await runProgram(["run", "busy", "--config", config]);
    expect([limited.code, limited.stdout]).toEqual([3, ""]);
    expect(limited.stderr).toContain("is not accepting more requests right now (HTTP 429). Try again in 3 s");
    const cut = await runProgram(["run", "tell", "--config", config]);
    expect(cut.code).toBe(3);
    expect(cut.stderr).toContain("broke off in the middle of its answer");
  });

  it("S2.3 without --json its text alone is on stdout", async () => {
    const { config } = await setUp();
    expect(await runProgram(["run", "look", "--config", config])).toMatchObject({
      code: 0,
      stdout: "I will look.\nIt says 42.\n",
      stderr: "",
    });
  });
});

describe("the input of a run", () => {
  it("piped input follows the prompt after a blank line", async () => {
    const odd = { servers: {} };
    const both = await runScript([answer("ok")], odd, { stdin: "from stdin\n" });
    expect(JSON.parse(both.requests[0]?.body ?? "{}").messages).toMatchObject([{ content: "do it\n\nfrom stdin" }]);
  });

  it("a stdin that is left open and empty does not delay it", async () => {
    const vendor = await startScriptedVendor("anthropic", [answer("ok")]);
    const config = await toolboxFile({ servers: {}, models: { m: modelEntry("anthropic", vendor.url) } });
    const program = await startProgram(["run", "hi", "--config", config]);
    const { code, stdout, stderr } = await program.exit;
    expect([code, stdout]).toEqual([0, "ok\n"]);
    expect(stderr).toBe(
      "Nothing arrived on stdin within 3 s, so only the argument is used. To wait for stdin: tacklebox run -\n",
    );
  });

  it("S2.5 works with the gateway's file, and with a model of the environment", async () => {
    const mock = await startAimock();
    mock.on({ hasToolResult: false }, { toolCalls: [{ name: "ping", arguments: "{}", id: "call_1" }] });
    mock.on({ hasToolResult: true }, { content: "pong" });
    const server = fixtureServer("collide", { NAME: "s", TOOLS: "ping" });
    const config = await toolboxFile({ tools: { mcp_servers: { s: server } } });
    const found = { OPENAI_API_KEY: "sk-of-the-environment", OPENAI_BASE_URL: `${mock.url}/v1` };
    const openai = await runProgram(["run", "ping", "--config", config], { env: found });
    expect(openai).toMatchObject({ code: 0, stdout: "pong\n", stderr: "" });
    const other = { ANTHROPIC_API_KEY: "sk-of-the-environment", ANTHROPIC_BASE_URL: mock.url };
    const both = await runProgram(["run", "ping", "--model", "anthropic", "--config", config], {
      env: { ...found, ...other },
    });
    expect(both).toMatchObject({ code: 0, stdout: "pong\n" });
    expect(mock.getRequests().map(({ path }) => path)).toEqual([
      ...["/v1/responses", "/v1/responses"],
      ...["/v1/messages", "/v1/messages"],
    ]);
  });
});

describe("a run that cannot start", () => {
  const nowhere = { OLLAMA_HOST: "127.0.0.1:9" };

  it("no model at all: the demo model answers, says so, and what to set for another", async () => {
    const config = await toolboxFile({ servers: {} });
    const { code, stdout, stderr } = await runProgram(["run", "hi", "--config", config], { env: nowhere });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^I am the demo model .*OPENAI_API_KEY or ANTHROPIC_API_KEY.*, start Ollama, .*'models'/);
    expect(stdout).toContain("I have no tools here.");
  });

  it("no such model, GPT or session: exit 1, and which there are", async () => {
    const config = await toolboxFile({ servers: {}, models: { m: modelEntry("anthropic", "http://127.0.0.1:9") } });
    const run = async (...args: string[]) => {
      const { code, stderr } = await runProgram(["run", "hi", "--config", config, ...args], { env: nowhere });
      return [code, stderr];
    };
    expect(await run("--model", "x")).toEqual([1, "There is no model 'x'. Available: m, demo.\n"]);
    expect(await run("--gpt", "x")).toEqual([1, "There is no GPT 'x'. `tacklebox gpt list` shows them all.\n"]);
    expect(await run("--session", "x")).toEqual([
      1,
      "There is no session 'x'. `tacklebox sessions list` shows them all.\n",
    ]);
  });

  it("a required server that is down: exit 1, and the model is not asked", async () => {
    const servers = { gone: { command: "/nowhere/at/all", required: true } };
    const { code, stderr, requests } = await runScript([answer("never")], { servers });
    expect([code, requests]).toEqual([1, []]);
    expect(stderr).toContain("Failed to connect to MCP server 'gone' at /nowhere/at/all\n");
  });

  it("S2.9 another server that is down is a warning, and the run goes on with the rest", async () => {
    const servers = {
      gone: { command: "/nowhere/at/all", reconnect: "never" },
      s: fixtureServer("collide", { NAME: "s", TOOLS: "a" }),
    };
    const { code, lines, stderr } = await runScript([calls(["a", {}]), answer("ok")], { servers });
    expect([code, modelText(lines)]).toEqual([0, "ok"]);
    expect(ofType(lines, "call-ended")).toMatchObject([{ status: "success", text: "s:a" }]);
    expect(stderr).toContain("/nowhere/at/all");
  });

  it("S2.12 an unknown transport is a mistake in the file, not a server to skip", async () => {
    const config = await toolboxFile({ tools: { mcp_servers: { s: { transport: "carrier-pigeon", command: "x" } } } });
    const { code, stderr } = await runProgram(["run", "hi", "--config", config]);
    expect(code).toBe(1);
    expect(stderr).toContain("Unknown transport: carrier-pigeon");
  });
});
