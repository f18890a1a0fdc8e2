import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { faultServer } from "../faults/fault-program.ts";
import { startLimited } from "../faults/start-limited.ts";
import { callRecords } from "../support/call-records.ts";
import { modelEntry } from "../support/model-servers.ts";
import { until } from "../support/processes.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { releaseAfterwards } from "../support/release.ts";
import { parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

const MB = 1024 * 1024;

async function setUp(config: object) {
  const data = join(await temporaryFolder(), "data");
  return { data, file: await toolboxFile(config), env: { TACKLEBOX_DATA: data } };
}

function bigCalls(count: number, bytes: number, serverOf: (line: number) => string): string {
  const lines = Array.from({ length: count }, (_, id) =>
    JSON.stringify({ id, server: serverOf(id), tool: "big", arguments: { bytes } }),
  );
  return `${lines.join("\n")}\n`;
}

describe("F10: bytes", () => {
  it("F10: of a large result the caller gets all, the record 256 KB with the size and the hash of the whole", async () => {
    const { data, file, env } = await setUp({ servers: { big: faultServer("tools") } });
    const stdin = bigCalls(1, 3 * MB, () => "big");
    const { stdout } = await runProgram(["call", "--stdin", "--config", file], { env, stdin });
    const { content, text } = parsed(stdout);
    expect(text).toBe("x".repeat(3 * MB));
    const [record] = await callRecords(data);
    const whole = JSON.stringify({ content, isError: false });
    expect(record).toMatchObject({
      status: "success",
      whole_result: { bytes: whole.length, sha256: createHash("sha256").update(whole).digest("hex") },
      result: {
        content: [{ text: expect.stringMatching(/^x{200000,}$/) }, { text: expect.stringMatching(/^\[Kept 256 KB/) }],
      },
    });
    expect(JSON.stringify(record?.result).length).toBeLessThanOrEqual(256 * 1024);
    const shown = await runProgram(["calls"], { env });
    expect(shown.stdout).toContain("A part of its 3 MB result was kept");
    expect(statSync(join(data, "tacklebox.db")).size).toBeLessThan(MB);
  });

  it("F10: the log stays within keep_bytes; the newest calls are kept", async () => {
    const calls = { keep_bytes: 2 * MB };
    const { data, file, env } = await setUp({ servers: { big: faultServer("tools") }, calls });
    const program = await startProgram(["call", "--stdin", "--config", file], { env });
    program.write(bigCalls(30, MB, () => "big"));
    await Promise.all(
      Array.from({ length: 30 }, (_, id) => program.waitForStdout((line) => line.startsWith(`{"id":${id},`))),
    );
    program.endStdin();
    await program.exit;
    const made = await callRecords(data, "--limit", "100");
    expect(made).toHaveLength(30);
    const next = await startProgram(["call", "--stdin", "--config", file], { env });
    await next.waitForStderr((line) => line.includes("Old calls removed from the call log: 23"));
    next.endStdin();
    await next.exit;
    const left = await callRecords(data, "--limit", "100");
    expect(left.map(({ id }) => id)).toEqual(made.slice(0, 7).map(({ id }) => id));
  });

  it("F10: large results of many servers at once wait for each other instead of filling the memory", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `big-${index}`);
    const servers = Object.fromEntries(names.map((name) => [name, faultServer("tools")]));
    // Its output goes through a pipe, as it would to any program, but not to this test, which has no use for 360 MB.
    const pipe = 'mkfifo "$HOME/out" && { cat "$HOME/out" >/dev/null & } && exec >"$HOME/out"';
    const { running: program, data } = await startLimited(pipe, { servers });
    program.write(bigCalls(12, 15 * MB, (line) => names[line] ?? ""));
    program.endStdin();
    let peak = 0;
    let hasEnded = false;
    void program.exit.then(() => {
      hasEnded = true;
    });
    const watched = () => {
      peak = Math.max(peak, peakOf(program.pid));
      return hasEnded;
    };
    await until(watched, { describe: "all calls to end" });
    expect((await program.exit).code).toBe(0);
    const records = await callRecords(data);
    expect(records.map(({ status }) => status)).toEqual(Array(12).fill("success"));
    expect(peak).toBeLessThan(900 * MB);
  });

  it("F10: a model that writes without end is stopped at 4 MB, and no more than that is stored", async () => {
    let sent = 0;
    const server = createServer((_, response) => {
      const chunk = { id: "c", created: 1, model: "m", object: "chat.completion.chunk" };
      const choice = { index: 0, delta: { content: "x".repeat(16 * 1024) } };
      const event = `data: ${JSON.stringify({ ...chunk, choices: [choice] })}\n\n`;
      const send = () => {
        while (!response.destroyed && sent < 60 * MB) {
          sent += event.length;
          if (!response.write(event)) return;
        }
        response.end();
      };
      response.on("drain", send).writeHead(200, { "content-type": "text/event-stream" });
      send();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    releaseAfterwards(async () => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const models = { m: modelEntry("openai chat", `http://127.0.0.1:${port}`) };
    const { data, file, env } = await setUp({ servers: {}, models });
    const { code, stdout, stderr } = await runProgram(["run", "hi", "--config", file], { env });
    expect(stderr).toContain("Model 'm' wrote more than 4 MB in one turn and was stopped.");
    expect([code, stdout.length < 5 * MB, sent < 60 * MB]).toEqual([3, true, true]);
    expect(statSync(join(data, "tacklebox.db")).size).toBeLessThan(6 * MB);
  });
});

/** The most memory a process has used so far; 0 once it is gone. */
function peakOf(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
