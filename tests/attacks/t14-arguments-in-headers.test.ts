import { expect, it } from "vitest";
import { modelEntry, startScriptedVendor } from "../support/model-servers.ts";
import { runProgram } from "../support/program.ts";
import { answer, calls, linesOf, ofType } from "../support/run-lines.ts";
import { startHttpFixture } from "../support/servers.ts";
import { parsed, toolboxFile } from "../support/toolbox-file.ts";

it("T14: arguments that a server wants in HTTP headers are shown in `tools`, `why` and questions", async () => {
  const { url } = await startHttpFixture("modern");
  const vendor = await startScriptedVendor("openai chat", [calls(["route", { region: "eu" }]), answer("Done.")]);
  const models = { m: modelEntry("openai chat", vendor.url) };
  const config = await toolboxFile({ models, servers: { near: { url, protocol: "2026-07-28", approval: "ask" } } });
  const shown = "region (mcp-param-region)";
  const tools = await runProgram(["tools", "--config", config]);
  expect(tools.stdout).toContain(
    `Arguments repeated in HTTP headers, which proxies and their logs can read:\n  route: ${shown}\n`,
  );
  const json = parsed((await runProgram(["tools", "--json", "--config", config])).stdout);
  const mirrored = [{ argument: ["region"], header: "mcp-param-region" }];
  expect(json.tools).toContainEqual(expect.objectContaining({ name: "route", mirrored }));
  const why = await runProgram(["why", "route", "--config", config]);
  expect(why.stdout).toContain(`repeats arguments in HTTP headers, which proxies and their logs can read: ${shown}`);
  const run = await runProgram(["run", "go", "--json", "--config", config]);
  const [asked] = ofType(linesOf(run.stdout), "approval-requested");
  expect(asked?.reason).toContain(`Arguments repeated in HTTP headers: ${shown}`);
});

it("T14: a tool that wants a secret in an HTTP header is quarantined", async () => {
  const { url } = await startHttpFixture("modern", { WANTS_KEY_IN_HEADER: "1" });
  const config = await toolboxFile({ servers: { near: { url, protocol: "2026-07-28" } } });
  const { servers } = parsed((await runProgram(["servers", "--json", "--config", config])).stdout);
  expect(servers).toMatchObject([
    {
      quarantined: [
        {
          name: "sign",
          reason: expect.stringContaining("it wants the argument 'api_key' repeated in the HTTP header"),
        },
      ],
    },
  ]);
  const call = await runProgram(["call", "near", "sign", "--args", '{"api_key": "x"}', "--config", config]);
  expect(call.code).not.toBe(0);
});
