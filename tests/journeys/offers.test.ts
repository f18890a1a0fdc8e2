import { describe, expect, it } from "vitest";
import { callLines } from "../support/call-lines.ts";
import { runProgram } from "../support/program.ts";
import { everythingPath, filesystemPath, startEverything, startHttpFixture } from "../support/servers.ts";
import { fixtureServer, logLines, nodeServer, parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

const document = "demo://resource/static/document/features.md";
const blob = "demo://resource/dynamic/blob/7";

async function run(config: string, ...args: readonly string[]) {
  return runProgram([...args, "--config", config]);
}

describe("what servers offer besides tools, through the built program", () => {
  it.each(["stdio", "streamableHttp", "sse"] as const)(
    "S1.9 S1.10 S1.19 resources, templates and prompts of the everything server over %s",
    async (transport) => {
      const server =
        transport === "stdio" ? nodeServer(everythingPath) : { url: (await startEverything(transport)).url };
      const config = await toolboxFile({ servers: { everything: server } });

      const listed = parsed((await run(config, "resources", "--json")).stdout);
      expect(listed).toMatchObject({
        servers: [
          {
            server: "everything",
            resources: expect.arrayContaining([expect.objectContaining({ uri: document, mime_type: "text/markdown" })]),
            templates: expect.arrayContaining([
              expect.objectContaining({ uri_template: "demo://resource/dynamic/blob/{resourceId}" }),
            ]),
          },
        ],
      });

      const text = await run(config, "read", "everything", document);
      expect([text.code, text.stdout.split("\n", 1)]).toEqual([0, ["# Everything Server - Features"]]);
      const decoded = await run(config, "read", "everything", blob);
      expect(decoded.stdout).toMatch(/^Resource 7: This is a base64 blob created at .*[^\n]$/);
      const encoded = parsed((await run(config, "read", "everything", blob, "--json")).stdout);
      expect(encoded).toMatchObject({ uri: blob, contents: [{ uri: blob, base64: expect.any(String) }] });

      const prompts = await run(config, "prompts", "--server", "everything");
      expect(prompts.stdout).toContain("args-prompt");
      const filled = await run(config, "prompts", "everything", "args-prompt", "--arg", "city=Lisbon");
      expect([filled.code, filled.stdout]).toEqual([0, "user:\nWhat's weather in Lisbon?\n"]);
    },
  );

  it("T1.4 a server without resources has none, which is no error", async () => {
    const config = await toolboxFile({ servers: { files: nodeServer(filesystemPath, await temporaryFolder()) } });
    expect(await run(config, "resources")).toMatchObject({ code: 0, stdout: "No server offers resources.\n" });
    expect(await run(config, "prompts")).toMatchObject({ code: 0, stdout: "No server offers prompts.\n" });
    expect(await run(config, "read", "files", "file:///etc/hostname")).toMatchObject({
      code: 3,
      stdout: "",
      stderr: "Server 'files': it does not offer resources\n",
    });
  });

  it("says what went wrong and ends as a call does: 2 for an unknown server, 3 for a refusal", async () => {
    const config = await toolboxFile({ servers: { everything: nodeServer(everythingPath) } });
    const unknown = await run(config, "read", "nobody", document);
    expect([unknown.code, unknown.stdout]).toEqual([2, ""]);
    expect(unknown.stderr).toContain('No server is named "nobody". Servers: everything');
    const lost = await run(config, "read", "everything", "demo://nowhere", "--json");
    expect(lost.code).toBe(3);
    expect(parsed(lost.stdout)).toMatchObject({ contents: [], ending: "protocol-error" });
  });

  it("S4.4 D.6 a named prompt that is missing is a warning and the start goes on", async () => {
    const everything = await startEverything("streamableHttp");
    const config = await toolboxFile({
      myai: {
        toolbox: {
          max_concurrent: 5,
          tools: [],
          mcps: [
            {
              name: "everything",
              url: everything.url,
              transport: "streamable_http",
              mode: "dynamic",
              default_tool_config: { max_instances: 2, timeout: "PT10S" },
              prompts: ["simple-prompt", "no-such-prompt"],
            },
          ],
        },
      },
    });
    const { code, stderr } = await run(config, "check");
    expect(code).toBe(0);
    expect(logLines(stderr)).toEqual([
      expect.stringMatching(/^warn MCP server 'everything' does not provide prompt 'no-such-prompt': it lists only: /),
    ]);
  });
});

describe("a server that asks while nobody is there to answer", () => {
  it("legacy: gets a decline, and the call succeeds after one execution", async () => {
    const config = await toolboxFile({ servers: { odd: fixtureServer("odd") } });
    const [outcome] = await callLines(config, [{ server: "odd", tool: "ask" }]);
    expect(outcome).toMatchObject({ status: "success", text: '{"timesAsked":1,"answer":{"action":"decline"}}' });
  });

  it.each(["stdio", "http"] as const)(
    "T24 modern over %s: the call ends with a clear text after one execution",
    async (transport) => {
      const server = transport === "stdio" ? fixtureServer("modern") : { url: (await startHttpFixture("modern")).url };
      const config = await toolboxFile({ servers: { modern: server } });
      const { code, stderr } = await run(
        config,
        "call",
        "modern",
        "ask",
        "--log-level",
        "debug",
        "--log-format",
        "json",
      );
      expect(code).toBe(3);
      expect(stderr).toContain("MCP error: ");
      expect(stderr).toMatch(/elicitation/);
      if (transport === "stdio")
        expect(logLines(stderr).filter((line) => line.includes("ask ran"))).toEqual(["debug modern: ask ran 1 times"]);
    },
  );
});
