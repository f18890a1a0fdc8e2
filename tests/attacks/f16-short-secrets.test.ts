import { describe, expect, it } from "vitest";
import { runProgram } from "../support/program.ts";
import { fixtureServer, logLines, parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder, writeConfig } from "../support/workspace.ts";

const REASON =
  "A secret needs at least 8 characters: a shorter one occurs in other texts by chance, so it cannot be redacted";

describe("F16: a secret too short to be redacted", () => {
  it.each([["abc"], ["1234567"]])("F16: is refused by `secret set`, with the reason: %s", async (value) => {
    const env = { TACKLEBOX_DATA: await temporaryFolder() };
    const { code, stdout, stderr } = await runProgram(["secret", "set", "api"], { env, stdin: value });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(REASON);
    expect(stderr).not.toContain(value);
    const listed = await runProgram(["secret", "list", "--json"], { env });
    expect(parsed(listed.stdout)).toEqual({ secrets: [] });
    const long = await runProgram(["secret", "set", "api"], { env, stdin: "12345678" });
    expect(long.code).toBe(0);
  });

  it.each([["postgres"], ["Change-Me"]])("F16: one that everybody knows is refused, too: %s", async (value) => {
    const cwd = await temporaryFolder();
    const env = { TACKLEBOX_DATA: await temporaryFolder() };
    const { code, stdout, stderr } = await runProgram(["secret", "set", "api"], { env, stdin: value });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("This is a password that everybody knows and a word of ordinary texts");
    const servers = { crm: { command: "x", env: { DB_PASSWORD: value } } };
    const from = await writeConfig(cwd, "mcp.json", JSON.stringify({ mcpServers: servers }));
    const imported = await runProgram(["import", from, "--to", "imported.yaml"], { cwd, env });
    expect(imported.stderr).toContain("The value of env DB_PASSWORD of 'crm' was not stored. This is a password that");
    expect(parsed((await runProgram(["secret", "list", "--json"], { env })).stdout)).toEqual({ secrets: [] });
  });

  it("F16: is not stored by `import` and `add`, which say so", async () => {
    const cwd = await temporaryFolder();
    const env = { TACKLEBOX_DATA: await temporaryFolder() };
    const from = await writeConfig(
      cwd,
      "mcp.json",
      JSON.stringify({ mcpServers: { crm: { command: "x", env: { API_TOKEN: "q7w8e9" } } } }),
    );
    const imported = await runProgram(["import", from, "--to", "imported.yaml", "--enable"], { cwd, env });
    expect(imported.stderr).toContain(`The value of env API_TOKEN of 'crm' was not stored. ${REASON}`);
    expect(imported.stdout).toContain("disabled: it needs CRM_API_TOKEN");
    const args = ["add", "web", "--url", "https://example.com/mcp", "--header", "Authorization: Bearer -"];
    const added = await runProgram([...args, "--to", "added.yaml"], { cwd, env, stdin: "q7w8e9" });
    expect([added.code, added.stdout]).toEqual([2, ""]);
    expect(added.stderr).toContain(REASON);
    expect(imported.stdout + imported.stderr + added.stderr).not.toContain("q7w8e9");
    expect(parsed((await runProgram(["secret", "list", "--json"], { env })).stdout)).toEqual({ secrets: [] });
  });

  it("F16: in the config or a variable is warned of at start, by its place and not its value", async () => {
    const office = fixtureServer("office", { DB_PASSWORD: "q7w8e", API_TOKEN: "${SHORT_TOKEN}", SESSION_MODE: "off" });
    const args = [...office.args, "--token=z5x6c"];
    const config = await toolboxFile({ servers: { office: { ...office, args } } });
    const { code, stdout, stderr } = await runProgram(["tools", "--config", config], { env: { SHORT_TOKEN: "v9b8n" } });
    expect(code).toBe(0);
    const warnings = logLines(stderr).filter((line) => line.includes("too short to be redacted"));
    expect(warnings).toHaveLength(3);
    expect(warnings.join()).toContain("The credential in env DB_PASSWORD of server 'office' is too short");
    expect(warnings.join()).toContain("The environment variable 'SHORT_TOKEN', used by server 'office', is too short");
    expect(warnings.join()).toContain(`The credential in argument ${args.length} of server 'office' is too short`);
    expect(stdout + stderr).not.toMatch(/q7w8e|z5x6c|v9b8n/);
  });
});
