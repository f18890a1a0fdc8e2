import { join } from "node:path";
import { expect } from "vitest";
import { z } from "zod";
import { callRecords } from "../support/call-records.ts";
import { processesWithMarker, until } from "../support/processes.ts";
import { startProgram } from "../support/program.ts";
import type { RunningProcess } from "../support/running-process.ts";
import { type HttpServer, startHttpFixture } from "../support/servers.ts";
import { fixtureServer, type StdioEntry, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

const Outcome = z.looseObject({
  id: z.string(),
  call_id: z.string(),
  status: z.enum(["success", "error"]),
  ending: z.string().optional(),
  text: z.string(),
});
export type Outcome = z.infer<typeof Outcome>;

/** One engine kept running by `call --stdin`, with a steady server besides those that go wrong. */
export interface FaultProgram {
  readonly running: RunningProcess;
  readonly data: string;
  readonly config: string;
  /** Set in the environment of every server process the program starts. */
  readonly marker: string;
  call(server: string, tool: string, args?: object): Promise<Outcome>;
  /** Calls the steady server, which must succeed whatever happens to the others. */
  steady(): Promise<void>;
  /** Repeats a call until it succeeds, which means that the server is back. */
  untilWorks(server: string, tool?: string): Promise<void>;
  /** Ends the program and asserts: exit 0, nothing left running, every answered call in the log as it was answered. */
  end(): Promise<void>;
}

export interface FaultConfig {
  readonly servers: Readonly<Record<string, object>>;
  readonly toolbox?: object;
  /** Tools that are plain HTTP endpoints. */
  readonly customTools?: readonly object[];
  readonly env?: Readonly<Record<string, string>>;
}

export async function startFaultProgram(config: FaultConfig): Promise<FaultProgram> {
  const { file, marker } = await writeFaultConfig(config);
  const data = join(await temporaryFolder(), "data");
  const running = await startProgram(["call", "--stdin", "--config", file], {
    env: { TACKLEBOX_DATA: data, ...config.env },
  });
  return attach(running, { data, config: file, marker });
}

/** Writes the config file with the steady server added and every server process marked. */
export async function writeFaultConfig({
  servers,
  toolbox,
  customTools,
}: FaultConfig): Promise<{ file: string; marker: string }> {
  const marker = `marker-${crypto.randomUUID()}`;
  const marked = Object.entries({ steady: faultServer("tools"), ...servers }).map(([name, entry]) => [
    name,
    "command" in entry ? { ...entry, env: { MARKER: marker, ...("env" in entry ? Object(entry.env) : {}) } } : entry,
  ]);
  const file = await toolboxFile({
    toolbox: { max_concurrent: 100, collisions: "qualify", ...toolbox },
    servers: Object.fromEntries(marked),
    ...(customTools !== undefined && { custom_tools: customTools }),
  });
  return { file, marker };
}

/** Drives a program that was started with `call --stdin`. */
export function attach(
  running: RunningProcess,
  { data, config, marker }: { readonly data: string; readonly config: string; readonly marker: string },
): FaultProgram {
  const answered = new Map<string, Outcome>();
  let lines = 0;

  async function call(server: string, tool: string, args: object = {}): Promise<Outcome> {
    lines += 1;
    const id = `line-${lines}`;
    running.write(`${JSON.stringify({ id, server, tool, arguments: args })}\n`);
    const line = await running.waitForStdout((text) => text.startsWith(`{"id":"${id}",`));
    const outcome = Outcome.parse(JSON.parse(line));
    answered.set(outcome.call_id, outcome);
    return outcome;
  }

  return {
    running,
    data,
    config,
    marker,
    call,
    async steady() {
      expect(await call("steady", "ping")).toMatchObject({ status: "success", text: "pong" });
    },
    async untilWorks(server, tool = "ping") {
      await until(async () => (await call(server, tool)).status === "success", { describe: `${server} to work again` });
    },
    async end() {
      running.endStdin();
      const { code, stderr } = await running.exit;
      expect({ code, trouble: stderr.split("\n").filter((line) => /Warning|unhandled/i.test(line)) }).toEqual({
        code: 0,
        trouble: [],
      });
      expect(processesWithMarker(marker)).toEqual([]);
      const records = await callRecords(data, "--limit", "10000");
      const logged = new Map(records.map((record) => [record.id, { status: record.status, ending: record.ending }]));
      const expected = [...answered].map(([id, { status, ending }]) => [id, { status, ending }] as const);
      expect(expected.filter(([id, ended]) => JSON.stringify(logged.get(id)) !== JSON.stringify(ended))).toEqual([]);
      expect(records.filter(({ status }) => status === "pending" || status === "running")).toEqual([]);
    },
  };
}

/** A config entry of the stdio fault server. */
export function faultServer(mode: string, env: Readonly<Record<string, string>> = {}): StdioEntry {
  const entry = fixtureServer("fault-stdio", env);
  return { ...entry, args: [...entry.args.slice(0, -1), mode] };
}

const Seen = z.object({
  initialized: z.number(),
  gets: z.number(),
  calls: z.record(z.string(), z.number()),
  open: z.number(),
});

export interface FaultHttp extends HttpServer {
  /** What the fixture has received on a path so far. */
  seen(path: string): Promise<z.infer<typeof Seen>>;
  /** Makes every session of a path unknown, as a restarted server would. */
  forgetSessions(path: string): Promise<void>;
}

export async function startFaultHttp(): Promise<FaultHttp> {
  const server = await startHttpFixture("fault-http");
  const control = async (path: string) => (await fetch(`${server.origin}/control${path}`)).json();
  return {
    ...server,
    seen: async (path) => Seen.parse(await control(path)),
    async forgetSessions(path) {
      await control(`${path}?forget`);
    },
  };
}
