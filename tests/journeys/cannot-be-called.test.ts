import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { callLines } from "../support/call-lines.ts";
import { callRecords } from "../support/call-records.ts";
import { modelEntry, startScriptedVendor } from "../support/model-servers.ts";
import { runProgram } from "../support/program.ts";
import { answer, calls, ofType, runScript } from "../support/run-lines.ts";
import { startHttpFixture } from "../support/servers.ts";
import { startOnTerminal } from "../support/terminal.ts";
import { fixtureServer, logLines, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder, writeConfig } from "../support/workspace.ts";

/** One data folder for several runs, as a person has it. */
async function start(config: object) {
  const file = await toolboxFile(config);
  const data = await temporaryFolder();
  const env = { TACKLEBOX_DATA: data };
  const run = (...args: string[]) => runProgram([...args, "--config", file], { env });
  const lines = (...asked: Parameters<typeof callLines>[1]) => callLines(file, asked, env);
  return {
    file,
    env,
    run,
    lines,
    change: (next: object) => writeConfig(`${file}/..`, "tacklebox.yaml", stringify(next)),
    records: () => callRecords(data),
  };
}

/** What a person reads of a call and of `why`, which must agree. */
async function ask({ run }: Pick<Awaited<ReturnType<typeof start>>, "run">, server: string, tool: string) {
  const called = await run("call", server, tool);
  const why = await run("why", tool, "--server", server);
  return { code: called.code, call: withoutLog(called.stderr), why: why.stdout };
}

function withoutLog(stderr: string): string {
  return stderr.replaceAll(/^\{"level".*\n/gm, "").trimEnd();
}

const collide = (tools: string, more: object = {}) => ({ ...more, ...fixtureServer("collide", { TOOLS: tools }) });

describe("a tool that cannot be called: what an operator reads, and what is recorded", () => {
  it("its server never came up: unreachable, with the cause", async () => {
    const work = { command: process.execPath, args: ["-e", 'console.error("no licence"); process.exitCode = 7'] };
    const box = await start({ servers: { work } });
    const { code, call, why } = await ask(box, "work", "read");
    expect(code).toBe(3);
    expect(call).toMatch(/^MCP error: Server 'work' is down: [\s\S]*no licence/);
    expect(why).toMatch(
      /^read of server work: may not be called\n[\s\S]*not callable: server 'work' is down: [\s\S]*no licence/,
    );
    expect(await box.records()).toMatchObject([
      { tool: "read", ending: "unreachable", error: expect.stringMatching(/^Server 'work' is down: /) },
    ]);
    const [line] = await box.lines({ tool: "read" });
    expect(line).toMatchObject({ ending: "unknown-tool" });
    expect(line?.error).toMatch(/^Unknown tool 'read'\. Server 'work' \([\s\S]*\) is down and may have it\.$/);
    expect(withoutLog((await box.run("why", "read")).stderr)).toMatch(
      /^No server that is connected has a tool named "read"\. Not connected: work \(down\)\./,
    );
  });

  it("its server is down, and worked a minute ago: unreachable, by its bare name too", async () => {
    const web = await startHttpFixture("http-tools", { TOOLS: "ping" });
    const box = await start({ servers: { web: { url: web.url } } });
    expect((await box.run("call", "web", "ping")).stdout).toBe("ping ok\n");
    await web.stop();
    const { code, call, why } = await ask(box, "web", "ping");
    expect(code).toBe(3);
    expect(call).toMatch(/^MCP error: Server 'web' is down: [\s\S]*ECONNREFUSED/);
    expect(why).toMatch(/^ping of server web: may not be called\n {2}declared {4}stop {2}server 'web' is down: /);
    expect((await box.run("why", "ping")).stdout).toBe(why);
    expect(await box.lines({ tool: "ping" }, { server: "web", tool: "ping" })).toMatchObject([
      { ending: "unreachable" },
      { ending: "unreachable" },
    ]);
  });

  it("its server wants a sign-in: sign-in-needed, and what to do", async () => {
    const web = await startHttpFixture("http-auth", { EXPECT_HEADER: "authorization: Bearer x" });
    const box = await start({ servers: { web: { url: web.url } } });
    const { code, call, why } = await ask(box, "web", "seen");
    expect(code).toBe(3);
    expect(call).toMatch(/^MCP error: Server 'web' requires you to sign in: HTTP 401[\s\S]*tacklebox secret set /);
    expect(why).toMatch(/not callable: server 'web' requires you to sign in: HTTP 401[\s\S]*tacklebox secret set /);
    expect(await box.records()).toMatchObject([{ ending: "sign-in-needed" }]);
  });

  it("its server is disabled: denied, and how to enable it", async () => {
    const box = await start({ servers: { work: collide("read") } });
    expect((await box.run("call", "work", "read")).code).toBe(0);
    await box.change({ servers: { work: collide("read", { enabled: false }) } });
    const text = "server 'work' is disabled. To enable it, run: tacklebox enable work";
    const { code, call, why } = await ask(box, "work", "read");
    expect([code, call]).toEqual([4, `MCP error: Tool call denied: ${text}`]);
    expect(why).toContain(`not callable: ${text}\n`);
    // What it offered last time is known, so the bare name says as much.
    expect((await box.run("why", "read")).stdout).toBe(why);
    expect(await box.lines({ tool: "read" })).toMatchObject([{ ending: "denied", error: `Tool call denied: ${text}` }]);
    expect(await box.records()).toMatchObject([
      { ending: "denied", error: `Tool call denied: ${text}` },
      { ending: "denied", error: `Tool call denied: ${text}` },
      { status: "success" },
    ]);
  });

  it("it was set aside: denied, and why", async () => {
    const tools = [{ name: "good" }, { name: "bad", inputSchema: { type: "banana" } }];
    const list = await writeConfig(await temporaryFolder(), "tools.json", JSON.stringify(tools));
    const box = await start({ servers: { shifty: fixtureServer("shifty", { SHIFTY_FILE: list }) } });
    const { code, call, why } = await ask(box, "shifty", "bad");
    const text = `tool 'bad' of server 'shifty' is set aside: inputSchema must be a JSON Schema of type "object"`;
    expect(code).toBe(4);
    expect(call).toMatch(`MCP error: Tool call denied: ${text}. Only its server can correct that`);
    expect(why).toContain(`not callable: ${text}. Only its server can correct that`);
  });

  it.each([
    [
      "off the allow list",
      { allow: ["a"] },
      {},
      "the allow list of 'work' does not name 'b' (FILE:3). To allow it, add it to that list",
    ],
    [
      "on the deny list",
      { deny: ["x*", "b*"] },
      {},
      "the deny list of 'work' names 'b' (FILE:5). To allow it, remove it from that list",
    ],
    [
      "approval: deny of its server",
      { approval: "deny" },
      {},
      "The server setting is approval: deny (FILE:3). To allow it, change that setting",
    ],
    [
      "approval: deny of its own",
      {},
      { toolbox: { tools: [{ name: "a" }, { name: "b", approval: "deny" }] } },
      "The tool setting is approval: deny (FILE:5). To allow it, change that setting",
    ],
  ])("%s: denied, with the setting, its file and line", async (_what, settings, more, expected) => {
    const box = await start({ ...more, servers: { work: collide("a,b", settings) } });
    const text = expected.replace("FILE", box.file);
    const { code, call, why } = await ask(box, "work", "b");
    expect([code, call]).toEqual([4, `MCP error: Tool call denied: ${text}`]);
    expect(why).toContain(`${box.file}:`);
    expect(why).toContain(text.split(". ").at(-1));
    expect(await box.records()).toMatchObject([{ ending: "denied", error: `Tool call denied: ${text}` }]);
  });

  it("nobody has it: unknown-tool, with the nearest name", async () => {
    const box = await start({ servers: { work: collide("read_file") } });
    const called = await box.run("call", "work", "reed_file");
    expect([called.code, called.stderr]).toEqual([
      3,
      expect.stringMatching(/^MCP error: Unknown tool 'reed_file' of server 'work'\. Did you mean 'read_file'\?/),
    ]);
    const why = await box.run("why", "reed_file");
    expect([why.code, why.stderr]).toEqual([
      2,
      "No server has a tool named \"reed_file\". Did you mean 'read_file'? `tacklebox tools` shows what may be called.\n",
    ]);
  });
});

describe("a tool hidden by a name collision", () => {
  const one = fixtureServer("collide", { TOOLS: "find", NAME: "one" });
  const two = fixtureServer("collide", { TOOLS: "find", NAME: "two" });
  const files: readonly (readonly [string, string, (toolbox: object) => object])[] = [
    ["tacklebox.yaml", "toolbox", (toolbox) => ({ toolbox, servers: { one, two } })],
    ["a gateway file", "toolbox", (toolbox) => ({ toolbox, tools: { mcp_servers: { one, two } } })],
    ["mcpServers", "toolbox", (toolbox) => ({ toolbox, mcpServers: { one, two } })],
    ["context_servers", "toolbox", (toolbox) => ({ toolbox, context_servers: { one, two } })],
    [
      "VS Code's servers",
      "toolbox",
      (toolbox) => ({ toolbox, servers: { one: { type: "stdio", ...one }, two: { type: "stdio", ...two } } }),
    ],
  ];

  it.each(files)(
    "%s: a call that names its server finds it, and the warning says how to show it",
    async (_what, key, write) => {
      const box = await start(write({ collisions: "hide" }));
      for (const server of ["one", "two"])
        expect(await box.run("call", server, "find")).toMatchObject({ code: 0, stdout: `${server}:find\n` });
      const checked = await box.run("check");
      expect(logLines(checked.stderr)).toContain(
        `warn Tool 'find' is offered by 'one' and by 'two'; the one from 'two' is used. To show the one from 'one' as 'one__find', set ${key}.collisions to qualify`,
      );
      await box.change(write({ collisions: "qualify" }));
      const [outcome] = await box.lines({ tool: "one__find" });
      expect(outcome).toMatchObject({ status: "success", text: "one:find" });
    },
  );
});

describe("T25 what is hidden from a model", () => {
  it("does not exist for it, while people read the truth in the run's lines and the record", async () => {
    const data = await temporaryFolder();
    const servers = {
      work: collide("read,wipe", { deny: ["wipe"] }),
      off: collide("erase", { enabled: false }),
    };
    const script = [calls(["wipe", {}], ["erase", {}], ["read", {}]), answer("I cannot.")];
    const { lines, requests } = await runScript(script, { servers }, { env: { TACKLEBOX_DATA: data } });
    const ended = ofType(lines, "call-ended");
    expect(ended.map(({ tool, ending }) => [tool, ending])).toEqual(
      expect.arrayContaining([
        ["wipe", "denied"],
        ["erase", "unknown-tool"],
        ["read", undefined],
      ]),
    );
    const wiped = ended.find(({ tool }) => tool === "wipe");
    expect(wiped).toMatchObject({
      text: "MCP error: Unknown tool 'wipe'.",
      error: expect.stringMatching(/^Tool call denied: the deny list of 'work' names 'wipe' \(.*tacklebox\.yaml:\d+\)/),
    });
    const told = requests[1]?.body ?? "";
    expect(told).toContain("Unknown tool 'wipe'.");
    for (const hidden of ["deny list", "tacklebox.yaml", "denied", "disabled"]) expect(told).not.toContain(hidden);
    expect(await callRecords(data)).toContainEqual(
      expect.objectContaining({ tool: "wipe", ending: "denied", error: wiped?.error }),
    );
  });

  it("is told as it is on the card and by /why in the chat", async () => {
    const vendor = await startScriptedVendor("openai chat", [calls(["wipe", {}]), answer("I cannot.")]);
    const file = await toolboxFile({
      models: { m: modelEntry("openai chat", vendor.url) },
      servers: { work: collide("read,wipe", { deny: ["wipe"] }) },
    });
    const env = { TACKLEBOX_DATA: await temporaryFolder() };
    const chat = await startOnTerminal(["chat", "--config", file], { env, columns: 200 });
    await chat.sees(/work 1 tool/);
    chat.type("wipe it\r");
    await chat.sees("wipe · denied", "Tool call denied: the deny list of 'work' names 'wipe'", "I cannot.");
    expect(vendor.requests[1]?.body).toContain("Unknown tool 'wipe'.");
    expect(vendor.requests[1]?.body).not.toContain("deny list");
    chat.type("/why wipe\r");
    await chat.sees("wipe of server work: may not be called", `names 'wipe' (${file}:`);
    chat.type("/quit\r");
    await chat.exit;
  });
});

describe("/why in the chat", () => {
  it("speaks of the chat: whether it asks, and what the person allowed", async () => {
    const env = { TACKLEBOX_DATA: await temporaryFolder() };
    const file = await toolboxFile({ servers: { work: collide("read") } });
    const chat = await startOnTerminal(["chat", "--config", file], { env, columns: 120 });
    await chat.sees(/work 1 tool/);
    chat.type("/why read\r");
    await chat.sees(
      "approval    warn  you will be asked before it runs (approval mode: always-ask)",
      "callable as read",
    );
    chat.type("read\r");
    await chat.sees("no, because …");
    chat.type("s");
    await chat.sees("s selected");
    chat.type("\r");
    await chat.sees(/✓ 1 read/);
    chat.type("/why read\r");
    await chat.sees("approval    ok    you allowed it for this session", "callable as read");
    expect(chat.sent()).not.toMatch(/the door|command-line/);
    chat.type("/quit\r");
    await chat.exit;
    const other = await startOnTerminal(["chat", "--approve", "auto", "--config", file], { env, columns: 120 });
    await other.sees(/work 1 tool/);
    other.type("/why read\r");
    await other.sees("runs without asking (approval mode: auto)");
    other.type("/quit\r");
    await other.exit;
  });
});
