import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { createOutbox, type OutboxEvents } from "./outbox.ts";

const running: ReturnType<typeof spawn>[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
});

/** Starts a shell with a pipe to its stdin, and waits for its first word. */
async function startShell(
  script: string,
): Promise<{ stdin: Writable; heard: () => string; child: (typeof running)[number] }> {
  const child = spawn("sh", ["-c", script], { stdio: ["pipe", "pipe", "inherit"] });
  running.push(child);
  let heard = "";
  child.stdout.on("data", (chunk) => {
    heard += chunk;
  });
  await once(child.stdout, "data");
  return { stdin: child.stdin, heard: () => heard, child };
}

/** Notes the requests that were not sent, and apart those of a server that reads nothing. */
function noting(broken: unknown[], full: unknown[] = []): OutboxEvents {
  return { onBroken: (unsent) => broken.push(unsent), onFull: (unsent) => full.push(unsent) };
}

describe("the outbox", () => {
  it("writes each message on a line, in order, however much is waiting", async () => {
    const { stdin, heard } = await startShell("echo ready; sleep 0.2; wc -lc");
    const broken: unknown[] = [];
    const outbox = createOutbox(stdin, noting(broken));
    const text = "x".repeat(99_999);
    for (let message = 0; message < 50; message += 1) {
      outbox.push(text, `call-${message}`);
      if (message % 10 === 0) outbox.flush();
    }
    await eventually(() => expect(stdin.writableLength).toBe(0));
    await new Promise((resolve) => stdin.end(resolve));
    await eventually(() => expect(heard().replaceAll(/\s+/g, " ")).toContain("50 5000000"));
    expect(broken).toEqual([]);
  });

  it("names the requests that a closed pipe took nothing of", async () => {
    const { stdin } = await startShell("exec 0<&-; echo closed; exec sleep 60");
    const broken: unknown[] = [];
    const outbox = createOutbox(stdin, noting(broken));
    outbox.push("first", "call-1");
    outbox.push("a notification", undefined);
    outbox.push("second", "call-2");
    await eventually(() => expect(broken).toEqual([["call-1", "call-2"]]));
    await new Promise(setImmediate);
    expect(broken).toHaveLength(1);
  });

  it("does not name a request that was on its way when the pipe broke, but names those behind it", async () => {
    const { stdin, child } = await startShell("echo ready; exec sleep 60");
    const broken: unknown[] = [];
    const outbox = createOutbox(stdin, noting(broken));
    outbox.push("x".repeat(10_000_000), "call-1");
    outbox.flush();
    outbox.push("behind", "call-2");
    child.kill("SIGKILL");
    await eventually(() => expect(broken).toEqual([["call-2"]]));
  });

  it("F10: keeps requests of the largest size for a server that is slow to read, but not answers without end", async () => {
    const { stdin } = await startShell("echo ready; exec sleep 60");
    const broken: unknown[] = [];
    const full: unknown[] = [];
    const outbox = createOutbox(stdin, noting(broken, full));
    const large = "x".repeat(16 * 1024 * 1024 - 1);
    for (let call = 1; call <= 5; call += 1) {
      outbox.push(large, `call-${call}`);
      outbox.flush();
    }
    for (let answer = 1; answer <= 4; answer += 1) outbox.push(large, undefined);
    expect(full).toEqual([]);
    outbox.push("one answer more".repeat(10), undefined);
    outbox.push("and another", undefined);
    expect(full).toEqual([["call-2", "call-3", "call-4", "call-5"]]);
    expect(broken).toEqual([]);
  });
});
