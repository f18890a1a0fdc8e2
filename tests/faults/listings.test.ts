import { describe, expect } from "vitest";
import { z } from "zod";
import { runProgram } from "../support/program.ts";
import { parsed, toolboxFile } from "../support/toolbox-file.ts";
import { fault } from "./fault.ts";
import { faultServer } from "./fault-program.ts";

const Listed = z.object({
  servers: z.tuple([
    z.looseObject({
      name: z.literal("odd"),
      tools: z.number(),
      status: z.string(),
      cause: z.string().optional(),
      quarantined: z.array(z.unknown()),
    }),
    z.looseObject({ name: z.literal("steady"), status: z.literal("connected") }),
  ]),
});

/**
 * The timeout of servers that never answer some request, and so the duration of the programs that wait for them. Their
 * processes must also start within it, alongside those of the other rows and on a busy machine.
 */
const TIME_LIMIT_S = 15;

function configOf(mode: string, settings: object): Promise<string> {
  return toolboxFile({
    toolbox: { collisions: "qualify" },
    servers: { odd: { ...faultServer(mode), ...settings }, steady: faultServer("tools") },
  });
}

/** Returns what `servers` shows of a server in this mode, and whether its ping can be called. */
async function list(mode: string, settings: object = {}) {
  const config = await configOf(mode, settings);
  const [shown, called] = await Promise.all([
    show(config),
    runProgram(["call", "odd", "ping", "--json", "--config", config]),
  ]);
  expect({ code: called.code, stdout: JSON.parse(called.stdout) }).toMatchObject({
    code: 0,
    stdout: { status: "success", text: "pong" },
  });
  return shown;
}

async function show(config: string) {
  const { stdout, stderr } = await runProgram(["servers", "--json", "--config", config]);
  const [odd] = Listed.parse(JSON.parse(stdout)).servers;
  return { ...odd, stderr };
}

describe.concurrent("lists of tools that go wrong", () => {
  fault(
    {
      id: "infinite-pages",
      fault: "a list of tools without a last page",
      promised: "cut at 64 pages, what was read can be used, and it is said",
    },
    async (seen) => {
      const { tools, stderr } = await list("endless-pages");
      expect(tools).toBe(64);
      expect(stderr).toContain("more than 64 pages");
      seen("64 tools, said so");
    },
  );

  fault(
    {
      id: "huge-pages",
      fault: "pages of 20,000 tools each",
      promised: "cut at 5,000 tools, what was read can be used, and it is said",
    },
    async (seen) => {
      const { tools, stderr } = await list("huge-pages");
      expect(tools).toBeLessThanOrEqual(5_000);
      expect(tools).toBeGreaterThan(0);
      expect(stderr).toMatch(/more than 5000 tools|larger than/);
      seen(`${tools} tools, said so`);
    },
  );

  fault(
    {
      id: "fat-pages",
      fault: "64 pages with one tool of 3 MB each",
      promised: "cut at 8 MiB, what was read can be used, and it is said",
    },
    async (seen) => {
      const { tools, stderr } = await list("fat-pages");
      expect(tools).toBe(3);
      expect(stderr).toContain("was cut: more than 8 MiB");
      seen("3 tools, said so");
    },
  );

  fault(
    {
      id: "stalled-pages",
      fault: "a list of tools whose second page never comes, or no page at all",
      promised:
        "within the server's timeout; what was read can be used, and it is said; without a page, the cause says so",
    },
    async (seen) => {
      const [{ tools, stderr }, { cause }] = await Promise.all([
        list("stalled-pages", { timeout: TIME_LIMIT_S }),
        configOf("no-list", { timeout: TIME_LIMIT_S, reconnect: "never" }).then(show),
      ]);
      expect(tools).toBe(1);
      expect(stderr).toContain("was cut: the rest did not come in time");
      expect(cause).toBe(`it did not list its tools within ${TIME_LIMIT_S} s`);
      seen("1 tool, said so; the cause of the other names its list");
    },
  );

  fault(
    {
      id: "mute-offers",
      fault: "a server that never answers what is asked about resources and prompts",
      promised: "timed-out after the server's timeout, naming it; others are listed",
    },
    async (seen) => {
      const config = await configOf("mute-offers", { timeout: TIME_LIMIT_S });
      const [listed, read] = await Promise.all([
        runProgram(["resources", "--json", "--config", config]),
        runProgram(["read", "odd", "note://1", "--config", config]),
      ]);
      expect({ code: listed.code, ...parsed(listed.stdout) }).toMatchObject({
        code: 3,
        servers: [
          { server: "odd", resources: [], error: `Server 'odd' did not answer within ${TIME_LIMIT_S} s` },
          { server: "steady", resources: [] },
        ],
      });
      expect({ code: read.code, stderr: read.stderr }).toEqual({
        code: 3,
        stderr: expect.stringContaining(`Server 'odd' did not answer within ${TIME_LIMIT_S} s`),
      });
      seen("timed-out; the other is listed");
    },
  );

  fault(
    {
      id: "same-cursor",
      fault: "a list whose next page is always the same",
      promised: "stops at the repeat, what was read can be used, and it is said",
    },
    async (seen) => {
      const { tools, stderr } = await list("same-cursor");
      expect(tools).toBe(2);
      expect(stderr).toContain("repeats a page");
      seen("2 tools, said so");
    },
  );

  fault(
    {
      id: "one-bad-tool",
      fault: "three entries that are no tools among good ones",
      promised: "the good ones can be used, the bad ones are quarantined with reasons",
    },
    async (seen) => {
      const { tools, quarantined } = await list("bad-tool");
      expect(tools).toBe(2);
      expect(quarantined).toHaveLength(3);
      expect(quarantined).toContainEqual({ name: "odd_schema", reason: expect.stringContaining("inputSchema") });
      seen("2 tools, 3 quarantined");
    },
  );
});
