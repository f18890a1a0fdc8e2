import { expect, it } from "vitest";
import { runProgram } from "../support/program.ts";
import { fixtureServer, logLines, parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder, writeConfig } from "../support/workspace.ts";

async function configWith(tools: readonly object[]): Promise<string> {
  const listed = await writeConfig(await temporaryFolder(), "tools.json", JSON.stringify(tools));
  return toolboxFile({ servers: { many: fixtureServer("shifty", { SHIFTY_FILE: listed }) } });
}

it("F20: a start with 5,000 tools logs 100 lines about them at most, and where to see the rest", async () => {
  const config = await configWith(Array.from({ length: 5_000 }, (_, index) => ({ name: `tool_${index}` })));
  const { code, stderr } = await runProgram(["check", "--config", config, "--log-level", "info"]);
  expect(code).toBe(0);
  const lines = logLines(stderr);
  expect(lines).toContain(
    "info The same is true of 4900 more tools of MCP server 'many'. To see them: tacklebox tools --server many",
  );
  expect(stderr.length).toBeLessThan(30_000);
});

it("F20, T18: text hidden in variation selectors is visible in JSON and in tables", async () => {
  const hidden = Array.from("ignore all", (letter) => String.fromCodePoint(0xe0100 + letter.charCodeAt(0))).join("");
  const description = `Looks up a record\ufe01${hidden} ❤\ufe0f`;
  const config = await configWith([{ name: "look", description }]);
  const json = await runProgram(["tools", "--json", "--config", config]);
  expect(json.stdout).not.toMatch(/[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u);
  expect(parsed(json.stdout).tools).toMatchObject([{ description }]);
  const table = await runProgram(["tools", "--config", config]);
  expect(table.stdout).toContain("Looks up a record\\ufe01\\u{e0169}");
  expect(table.stdout).toContain("❤\ufe0f");
});
