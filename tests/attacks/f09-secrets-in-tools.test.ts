import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { modelEntry, startScriptedVendor } from "../support/model-servers.ts";
import { until } from "../support/processes.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { answer } from "../support/run-lines.ts";
import { fixtureServer, parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder, writeConfig } from "../support/workspace.ts";
import { bytesOf } from "./telling-server.ts";

const SECRET = `c${crypto.randomUUID().replaceAll("-", "")}`;
const of = (property: object) => ({ type: "object", properties: { property } });
const TOOLS = [
  { name: "plain", inputSchema: { type: "object" } },
  { name: `ask_${SECRET}`, inputSchema: { type: "object" } },
  { name: "choice", inputSchema: of({ enum: ["one", SECRET] }) },
  { name: "constant", inputSchema: of({ const: SECRET }) },
  { name: "property", inputSchema: of({ properties: { [SECRET]: {} } }) },
  { name: "answered", inputSchema: { type: "object" }, outputSchema: of({ enum: [SECRET] }) },
];

/** A vault with the secret, and a config whose server knows it and lists it in its tools. */
async function setUp(more: object = {}) {
  const folder = await temporaryFolder();
  const data = join(folder, "data");
  const env = { TACKLEBOX_DATA: data };
  await runProgram(["secret", "set", "api"], { env, stdin: SECRET });
  const listed = await writeConfig(folder, "tools.json", JSON.stringify(TOOLS));
  const shifty = fixtureServer("shifty", { SHIFTY_FILE: listed, SOMETHING: "${secret:api}" });
  return { data, env, listed, config: await toolboxFile({ servers: { shifty }, ...more }) };
}

describe("F9: a tool whose name or schema holds a secret", () => {
  it("F9: is quarantined with a reason, and no command, log or file has the secret", async () => {
    const { config, env, data } = await setUp();
    const run = (...args: string[]) => runProgram([...args, "--config", config, "--log-level", "debug"], { env });
    const tools = await run("tools", "--json");
    expect(parsed(tools.stdout).tools).toMatchObject([{ name: "plain" }]);
    const servers = await run("servers", "--json");
    const [shifty] = parsed(servers.stdout).servers as { quarantined: { name: string; reason: string }[] }[];
    expect(shifty?.quarantined.map(({ name }) => name)).toEqual([
      "ask_[redacted]",
      "choice",
      "constant",
      "property",
      "answered",
    ]);
    for (const { reason } of shifty?.quarantined ?? [])
      expect(reason).toMatch(
        /a secret: that of the secret api of the vault\. Rename it at its server, or change the secret if the two are equal/,
      );
    const others = [
      await run("tools"),
      await run("servers"),
      await run("search", "ask a choice"),
      await run("why", "choice"),
      await run("call", "shifty", "choice"),
    ];
    for (const { stdout, stderr } of [tools, servers, ...others]) expect(stdout + stderr).not.toContain(SECRET);
    expect(await bytesOf(data)).not.toContain(SECRET);
  });

  it("F9: is no tool that has an ordinary word of a variable or argument in its name", async () => {
    const folder = await temporaryFolder();
    const words = ["github_issues", "stateless_call", "list_created_at"];
    const inputSchema = of({ enum: ["user_id"] });
    const tools = words.map((name) => ({ name, inputSchema }));
    const listed = await writeConfig(folder, "tools.json", JSON.stringify(tools));
    const shifty = fixtureServer("shifty", { SHIFTY_FILE: listed, AUTH_PROVIDER: "github", SESSION_MODE: "stateless" });
    const args = [...shifty.args, "--sort-key=created_at", "--primary-key", "user_id"];
    const config = await toolboxFile({ servers: { shifty: { ...shifty, args } } });
    const { stdout } = await runProgram(["tools", "--json", "--config", config]);
    expect(parsed(stdout).tools).toMatchObject(words.map((name) => ({ name })));
  });

  it("F9: reaches no model", async () => {
    const vendor = await startScriptedVendor("openai chat", [answer("Nothing.")]);
    const { config, env } = await setUp({ models: { m: modelEntry("openai chat", vendor.url) } });
    const { code } = await runProgram(["run", "go", "--json", "--config", config], { env });
    expect([code, vendor.requests.length]).toEqual([0, 1]);
    expect(vendor.requests[0]?.body).toContain("plain");
    expect(vendor.requests[0]?.body).not.toContain(SECRET);
  });

  it("F9: is taken out when the secret becomes known only after it was listed", async () => {
    const { env, listed } = await setUp();
    const servers = { shifty: fixtureServer("shifty", { SHIFTY_FILE: listed }) };
    const config = await toolboxFile({ servers });
    const program = await startProgram(["call", "--stdin", "--config", config], { env });
    const answers = () => program.stdout().split("\n").filter(Boolean).map(parsed);
    const call = async () => {
      const id = answers().length;
      program.write(`${JSON.stringify({ id, tool: "choice", arguments: {} })}\n`);
      await until(() => answers().length === id + 1, { describe: "an answer" });
      return answers()[id];
    };
    expect(await call()).toMatchObject({ status: "success" });
    const other = fixtureServer("office", { SOMETHING: "${secret:api}" });
    await writeConfig(join(config, ".."), "tacklebox.yaml", stringify({ servers: { ...servers, other } }));
    await program.waitForStderr((line) => line.includes("Tool 'choice' from MCP server 'shifty' is set aside"));
    expect(await call()).toMatchObject({
      ending: "denied",
      error: expect.stringMatching(/^Tool call denied: tool 'choice' of server 'shifty' is set aside: /),
    });
    program.endStdin();
    const { stderr } = await program.exit;
    const known = stderr.slice(stderr.indexOf("is set aside"));
    expect(known).not.toContain(SECRET);
  });
});
