import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { until } from "../support/processes.ts";
import { startProgram } from "../support/program.ts";
import type { RunningProcess } from "../support/running-process.ts";
import { startHttpFixture } from "../support/servers.ts";
import { fixtureServer, parsed } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

async function start(config: object): Promise<{ program: RunningProcess; edit(text: string): Promise<void> }> {
  const folder = await temporaryFolder();
  const file = join(folder, "tacklebox.yaml");
  await writeFile(file, stringify(config));
  const program = await startProgram(["call", "--stdin", "--config", file]);
  await program.waitForStderr((line) => line.includes("Watching"));
  return {
    program,
    // Replaces the file by a rename, as editors do, so that it is never read half written.
    async edit(text) {
      await writeFile(`${file}.new`, text);
      await rename(`${file}.new`, file);
    },
  };
}

async function ask(program: RunningProcess, id: string, line: object): Promise<Record<string, unknown>> {
  program.write(`${JSON.stringify({ id, ...line })}\n`);
  return parsed(await program.waitForStdout((text) => text.startsWith(`{"id":"${id}"`)));
}

/** Returns the process ids that a server logged, one for each start. */
async function pidsIn(log: string): Promise<Set<unknown>> {
  const text = await readFile(log, "utf8").catch(() => "");
  return new Set(
    text
      .split("\n")
      .filter(Boolean)
      .map((line) => parsed(line).pid),
  );
}

const STEADY = { server: "steady", tool: "other", arguments: { ms: 10 } };
const TOUCHED = { server: "touched", tool: "a" };

/** Keeps `atOnce` calls in flight: each answer starts the next call. */
function keepCalling(program: RunningProcess, atOnce: number) {
  let sent = 0;
  let answered = 0;
  let readTo = 0;
  const count = () => {
    const text = program.stdout();
    for (let end = text.indexOf("\n", readTo); end !== -1; end = text.indexOf("\n", readTo)) {
      answered += 1;
      readTo = end + 1;
    }
    return answered;
  };
  const topUp = () => {
    for (count(); sent - answered < atOnce; sent += 1)
      program.write(`${JSON.stringify({ id: sent, ...(sent % 4 === 0 ? TOUCHED : STEADY) })}\n`);
  };
  return {
    topUp,
    sent: () => sent,
    nextAnswer: async () => {
      const before = count();
      await until(() => count() > before, { describe: "another answer" });
      topUp();
    },
    allAnswered: () => until(() => count() === sent, { describe: "every call to be answered" }),
  };
}

describe("S4.36 hot reload while calls run", () => {
  it("adds, removes and changes servers without a restart, and logs every change", async () => {
    const one = fixtureServer("collide", { NAME: "one", TOOLS: "a" });
    const { program, edit } = await start({ servers: { one } });
    expect(await ask(program, "1", { tool: "a" })).toMatchObject({ text: "one:a" });
    await edit(
      stringify({
        servers: {
          one: { ...one, env: { NAME: "changed", TOOLS: "a" } },
          two: fixtureServer("collide", { NAME: "two", TOOLS: "b" }),
        },
      }),
    );
    await program.waitForStderr((line) => line.includes("Configuration: server 'two' added"));
    expect(await ask(program, "2", { tool: "a" })).toMatchObject({ text: "changed:a" });
    expect(await ask(program, "3", { tool: "b" })).toMatchObject({ text: "two:b" });
    await edit(
      stringify({
        servers: { two: fixtureServer("collide", { NAME: "two", TOOLS: "b" }) },
        toolbox: { tools: [{ name: "b", approval: "deny" }] },
      }),
    );
    await program.waitForStderr((line) => line.includes("Configuration: server 'one' removed"));
    await program.waitForStderr((line) => line.includes("Configuration: toolbox.tools changed"));
    expect(await ask(program, "4", { tool: "a" })).toMatchObject({ ending: "unknown-tool" });
    expect(await ask(program, "5", { tool: "b" })).toMatchObject({ ending: "denied" });
    program.endStdin();
    expect((await program.exit).code).toBe(0);
  });

  it("a server of a transport the config did not have before joins as well", async () => {
    const one = fixtureServer("collide", { NAME: "one", TOOLS: "a" });
    const web = await startHttpFixture("http-tools", { TOOLS: "ping" });
    const { program, edit } = await start({ servers: { one } });
    await edit(stringify({ servers: { one, web: { url: web.url } } }));
    await program.waitForStderr((line) => line.includes("Configuration: server 'web' added"));
    expect(await ask(program, "1", { tool: "ping" })).toMatchObject({ text: "ping ok" });
    program.endStdin();
    expect((await program.exit).code).toBe(0);
  });

  it("a bad edit is reported with its position and the running state stays", async () => {
    const { program, edit } = await start({ servers: { one: fixtureServer("collide", { NAME: "one", TOOLS: "a" }) } });
    await edit("servers:\n  one: { command: node, mode: sometimes }\n");
    await program.waitForStderr((line) => line.includes("tacklebox.yaml:2:") && line.includes("mode"));
    expect(await ask(program, "1", { tool: "a" })).toMatchObject({ text: "one:a" });
    program.endStdin();
    expect((await program.exit).code).toBe(0);
  });

  it("1,000 edits while 32 callers run: no call is lost, and a server no edit touches is never restarted", async () => {
    const folder = await temporaryFolder();
    const log = join(folder, "gauge.jsonl");
    const steady = fixtureServer("gauge", { GAUGE_LOG: log });
    const touched = (round: number) => ({ ...fixtureServer("collide", { NAME: `round${round}`, TOOLS: "a" }) });
    const config = (round: number, server: number) =>
      stringify({
        toolbox: { max_concurrent: 10 + (round % 5), max_wait: "PT2M" },
        servers: { steady: { ...steady, deny: [`nothing_${round}`] }, touched: touched(server) },
      });
    const { program, edit } = await start({ toolbox: { max_wait: "PT2M" }, servers: { steady, touched: touched(0) } });
    const pump = keepCalling(program, 32);
    for (let round = 1; round <= 1_000; round += 1) {
      await edit(config(round, Math.floor(round / 100)));
      pump.topUp();
      // Gives the program time to see some of the edits one by one.
      if (round % 20 === 0) await pump.nextAnswer();
    }
    await program.waitForStderr((line) => line.includes("server 'touched' changed, reconnected"));
    await pump.allAnswered();
    expect(await ask(program, "last", { server: "touched", tool: "a" })).toMatchObject({ status: "success" });
    program.endStdin();
    expect((await program.exit).code).toBe(0);
    const outcomes = program.stdout().trim().split("\n").map(parsed);
    expect(outcomes).toHaveLength(pump.sent() + 1);
    expect(outcomes.filter(({ status }) => status !== "success")).toEqual([]);
    expect((await pidsIn(log)).size).toBe(1);
    // Edits that are faster than the program reads count as one; it must still have followed many of them.
    const reloads = program.stderr().split("server 'steady' changed, connection kept").length - 1;
    const restarts = program.stderr().split("server 'touched' changed, reconnected").length - 1;
    expect(reloads).toBeGreaterThan(5);
    expect(restarts).toBeGreaterThan(1);
  });
});
