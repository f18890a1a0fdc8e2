import { describe, expect, it } from "vitest";
import { z } from "zod";
import { runProgram } from "../support/program.ts";
import { fixtureServer, parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder, writeConfig } from "../support/workspace.ts";

const Answer = z.object({
  explanations: z.array(
    z.looseObject({ steps: z.array(z.object({ step: z.string(), verdict: z.string(), text: z.string() })) }),
  ),
});
type Answer = z.infer<typeof Answer>;

async function why(config: object, ...args: string[]) {
  return whyWith({}, config, ...args);
}

async function whyWith(env: Readonly<Record<string, string>>, config: object, ...args: string[]) {
  const file = await toolboxFile(config);
  const { code, stdout } = await runProgram(["why", ...args, "--json", "--config", file], { env });
  return { code, file, answer: Answer.parse(JSON.parse(stdout)) };
}

const DECLARED = (server: string) => ["declared", "ok", `listed by '${server}', which is connected`];
const NOT_LISTED = ["mode", "ok", "dynamic, not in toolbox.tools"];
const NO_LIST = ["allow/deny", "ok", "no list keeps it out"];

/** Returns the steps as readable rows: what, verdict, why. */
function rows({ explanations }: Answer): string[][][] {
  return explanations.map(({ steps }) => steps.map(({ step, verdict, text }) => [step, verdict, text]));
}

describe("why", () => {
  it("follows a callable tool through every step", async () => {
    const config = await toolboxFile({
      toolbox: { tools: [{ name: "a", max_instances: 2, timeout: "PT1M" }] },
      servers: { one: fixtureServer("collide", { TOOLS: "a" }) },
    });
    const { code, stdout } = await runProgram(["why", "a", "--config", config]);
    expect(code).toBe(0);
    expect(stdout).toBe(`a of server one: may be called as a
  declared    ok    listed by 'one', which is connected
  mode        ok    dynamic, configured in toolbox.tools
  allow/deny  ok    no list keeps it out
  definition  ok    its definition is the accepted one
  limits      ok    2 at once, PT1M each (from its entry over the server's defaults)
  approval    ok    runs when called from the command line; chats and editors ask as they are set to
  result      ok    callable as a
`);
  });

  it("names the list that keeps a tool out", async () => {
    const server = fixtureServer("collide", { TOOLS: "a,b" });
    const { code, file, answer } = await why({ servers: { one: { deny: ["x", "b"], ...server } } }, "b");
    expect(code).toBe(0);
    const text = `the deny list of 'one' names 'b' (${file}:5)`;
    expect(rows(answer)).toEqual([
      [
        DECLARED("one"),
        NOT_LISTED,
        ["allow/deny", "stop", text],
        ["result", "stop", `not callable: ${text}. To allow it, remove it from that list`],
      ],
    ]);
  });

  it("names the strict server that a tool is not configured for, with the start's problem, exit 1", async () => {
    const server = { mode: "strict", ...fixtureServer("collide", { TOOLS: "x,y" }) };
    const { code, file, answer } = await why({ toolbox: { tools: [{ name: "x" }] }, servers: { one: server } }, "y");
    expect(code).toBe(1);
    const text = `'one' is strict and 'y' is not in toolbox.tools (${file}:6)`;
    const next = "Add it to toolbox.tools, or set mode: dynamic for the server";
    expect(rows(answer)).toEqual([
      [DECLARED("one"), ["mode", "stop", text], NO_LIST, ["result", "stop", `not callable: ${text}. ${next}`]],
    ]);
  });

  it("explains both sides of a collision, and only one when asked for its server", async () => {
    const config = {
      toolbox: { collisions: "hide" },
      servers: {
        one: fixtureServer("collide", { TOOLS: "c", NAME: "one" }),
        two: fixtureServer("collide", { TOOLS: "c", NAME: "two" }),
      },
    };
    const hidden =
      "hidden by the tool of the same name from 'two'; to show it as one__c, set toolbox.collisions to qualify";
    const env = { TACKLEBOX_DATA: await temporaryFolder() };
    const { answer } = await whyWith(env, config, "c");
    expect(answer.explanations).toMatchObject([
      { server: "two", callable: true, shown_name: "c" },
      { server: "one", callable: true },
    ]);
    // The other server is not started for this; what it offered last time is known.
    expect(rows((await whyWith(env, config, "c", "--server", "one")).answer)).toEqual([
      [
        DECLARED("one"),
        NOT_LISTED,
        NO_LIST,
        ["collision", "warn", hidden],
        ["pin", "ok", "its definition is the accepted one"],
        ["limits", "ok", "5 at once, PT30S each (from the server's defaults)"],
        ["approval", "ok", "runs when called from the command line; chats and editors ask as they are set to"],
        ["result", "ok", "callable as 'c' of the server 'one', not by its name alone"],
      ],
    ]);
  });

  it("D.14 explains why a tool is quarantined; the server's other tools work", async () => {
    const tools = [{ name: "good" }, { name: "bad", inputSchema: { type: "banana" } }, { name: "fine" }];
    const file = await writeConfig(await temporaryFolder(), "tools.json", JSON.stringify(tools));
    const config = { servers: { shifty: fixtureServer("shifty", { SHIFTY_FILE: file }) } };
    const reason = 'set aside: inputSchema must be a JSON Schema of type "object"';
    const cause = `tool 'bad' of server 'shifty' is ${reason}`;
    const next = "Only its server can correct that; other tools are not affected";
    expect(rows((await why(config, "bad")).answer)).toEqual([
      [
        ["declared", "stop", `listed by 'shifty' but ${reason}`],
        ["result", "stop", `not callable: ${cause}. ${next}`],
      ],
    ]);
    const written = await toolboxFile(config);
    expect((await runProgram(["call", "shifty", "fine", "--config", written])).stdout).toBe("called fine\n");
    const servers = await runProgram(["servers", "--json", "--config", written]);
    expect(parsed(servers.stdout).servers).toMatchObject([
      {
        status: "connected",
        tools: 2,
        quarantined: [{ name: "bad", reason: 'inputSchema must be a JSON Schema of type "object"' }],
      },
    ]);
    const refused = await runProgram(["call", "shifty", "bad", "--config", written]);
    expect([refused.code, refused.stderr]).toEqual([
      4,
      expect.stringContaining(`\nMCP error: Tool call denied: ${cause}. ${next}\n`),
    ]);
  });

  it("says when nobody has the tool, exit 2", async () => {
    const config = await toolboxFile({ servers: { one: fixtureServer("collide", { TOOLS: "a" }) } });
    const { code, stdout, stderr } = await runProgram(["why", "nope", "--config", config]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toBe('No server has a tool named "nope". `tacklebox tools` shows what may be called.\n');
  });
});
