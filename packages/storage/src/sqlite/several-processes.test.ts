import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { sampleCall } from "../testing/sample-call.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { testMembership } from "../testing/test-membership.ts";
import { openSqliteStore } from "./index.ts";

const STORE_SOURCE = fileURLToPath(new URL("./index.ts", import.meta.url));
const DIST = fileURLToPath(new URL("../../dist", import.meta.url));

/** Opens the store, reports that, and runs commands. It reports a call only after its save resolved. */
const CHILD = `
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { openSqliteStore } from ${JSON.stringify(STORE_SOURCE)};

const [file, owner] = process.argv.slice(2);
const say = (text) => writeSync(1, text + "\\n");
const commands = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const next = async () => (await commands.next()).value;
const saveOne = async (id) => {
  await store.calls.save({
    id, owner, scope: "agent", server: "customers", toolName: "get_customer", shownName: "get_customer",
    arguments: { padding: "x".repeat(500) }, status: "running", startedAt: new Date().toISOString(),
  });
  say(id);
};

say("started");
await next();
const store = await openSqliteStore({
  file, member: { id: owner, host: "here", pid: process.pid }, now: Date.now,
  processes: { look: () => "alive", isOwnerAlive: () => false },
});
say("opened");
const task = await next();
if (task === "recover") say(String(await store.calls.recover()));
if (task === "save 200") {
  await Promise.all(Array.from({ length: 200 }, (_, index) => saveOne(owner + "-" + index)));
}
if (task === "save forever") {
  const saveForever = async (lane) => {
    for (let turn = 0; ; turn += 1) await saveOne([owner, lane, turn].join("-"));
  };
  await Promise.all(Array.from({ length: 16 }, (_, lane) => saveForever(lane)));
}
const append = (number) => store.sessions.append([
  { sessionId: "shared", number, at: "", message: { role: "user", parts: [{ type: "text", text: owner }] } },
]);
if (task === "append message 1") {
  await append(1).then(() => say("appended"), (error) => say(error.name + " " + error.code + ": " + error.message));
}
if (task === "append up to 40") {
  for (let number = 1; number <= 40; number = (await store.sessions.messages("shared")).length + 1) {
    await append(number).then(() => say(owner + " " + number), (error) => {
      if (error.code !== "conflict") throw error;
    });
  }
}
await store.close();
process.stdin.destroy();
`;

interface Child {
  readonly process: ChildProcess;
  tell(command: string): void;
  /** The next line it prints; undefined once it has ended. */
  heard(): Promise<string | undefined>;
  heardUntilItEnds(): Promise<readonly string[]>;
}

describe("a file shared by several processes", () => {
  let program: string;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    await mkdir(DIST, { recursive: true });
    // Inside the package's folder, so that the built child finds the native library.
    program = await mkdtemp(join(DIST, "child-"));
    const source = join(program, "source.mjs");
    await writeFile(source, CHILD);
    const bundle = await rolldown({ input: source, platform: "node", external: [/^@photostructure\//] });
    await bundle.write({ file: join(program, "child.mjs"), codeSplitting: false });
    await bundle.close();
  });

  afterEach(() => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
  });

  afterAll(() => rm(program, { recursive: true, force: true }));

  function startChild(file: string, owner: string): Child {
    const child = spawn(process.execPath, [join(program, "child.mjs"), file, owner], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    children.push(child);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const heard = async (): Promise<string | undefined> => (await lines.next()).value;
    return {
      process: child,
      tell: (command) => child.stdin.write(`${command}\n`),
      heard,
      async heardUntilItEnds() {
        const all: string[] = [];
        for (let line = await heard(); line !== undefined; line = await heard()) all.push(line);
        return all;
      },
    };
  }

  /** Starts all processes before the first one opens the file. */
  async function openTogether(file: string, owners: readonly string[]): Promise<readonly Child[]> {
    const started = owners.map((owner) => startChild(file, owner));
    for (const child of started) expect(await child.heard()).toBe("started");
    for (const child of started) child.tell("open");
    for (const child of started) expect(await child.heard()).toBe("opened");
    return started;
  }

  function openHere(file: string) {
    return openSqliteStore({ file, ...testMembership("parent") });
  }

  it("is created once if all open it at the same moment, and stores every call of each", async () => {
    await using folder = await createTemporaryFolder();
    const file = folder.at("tacklebox.db");
    const owners = ["one", "two", "three", "four"];
    const running = await openTogether(file, owners);
    for (const child of running) child.tell("save 200");
    const acknowledged = (await Promise.all(running.map((child) => child.heardUntilItEnds()))).flat();

    const store = await openHere(file);
    const saved = (await store.calls.list({ limit: 10_000 })).map((call) => call.id);
    await store.close();
    expect(acknowledged).toHaveLength(800);
    expect(saved.sort()).toEqual(acknowledged.sort());
  });

  it("keeps every acknowledged call of a process that was killed, and recovers them once", async () => {
    await using folder = await createTemporaryFolder();
    const file = folder.at("tacklebox.db");
    const [victim] = await openTogether(file, ["victim"]);
    expect.assert(victim !== undefined);
    victim.tell("save forever");
    const acknowledged: string[] = [];
    while (acknowledged.length < 300) acknowledged.push((await victim.heard()) ?? "ended too early");
    const exited = once(victim.process, "exit");
    victim.process.kill("SIGKILL");
    acknowledged.push(...(await victim.heardUntilItEnds()));
    expect(await exited).toEqual([null, "SIGKILL"]);

    const store = await openHere(file);
    const saved = new Map((await store.calls.list({ limit: Number.POSITIVE_INFINITY })).map((call) => [call.id, call]));
    expect(acknowledged.filter((id) => !saved.has(id))).toEqual([]);
    expect(await store.calls.recover()).toBe(saved.size);
    expect(await store.calls.recover()).toBe(0);
    expect(await store.calls.list({ limit: 1, status: "running" })).toEqual([]);
    await store.close();
  });

  it("is recovered once if two processes do so at the same time", async () => {
    await using folder = await createTemporaryFolder();
    const file = folder.at("tacklebox.db");
    const store = await openHere(file);
    const orphans = Array.from({ length: 50 }, (_, index) => sampleCall({ id: `orphan-${index}`, owner: "gone" }));
    await Promise.all(orphans.map((orphan) => store.calls.save(orphan)));
    const rescuers = await openTogether(file, ["one", "two"]);
    for (const child of rescuers) child.tell("recover");
    const counts = (await Promise.all(rescuers.map((child) => child.heardUntilItEnds()))).flat();
    expect(counts.sort()).toEqual(["0", "50"]);
    expect(await store.calls.list({ limit: 1, status: "running" })).toEqual([]);
    await store.close();
  });

  async function openSharedSession(file: string) {
    const store = await openHere(file);
    await store.sessions.save({ id: "shared", title: "Shared", createdAt: "", updatedAt: "" });
    return store;
  }

  it("accepts the next message of a session from one of two writers, and reports a conflict to the other", async () => {
    await using folder = await createTemporaryFolder();
    const file = folder.at("tacklebox.db");
    const store = await openSharedSession(file);
    const writers = await openTogether(file, ["one", "two"]);
    for (const child of writers) child.tell("append message 1");
    const heard = (await Promise.all(writers.map((child) => child.heardUntilItEnds()))).flat();
    expect(heard.sort()).toEqual([
      'StoreError conflict: Session "shared" has a message 1 already: something else wrote to it in the meantime. ' +
        "Nothing was added; open the session again to go on after that message.",
      "appended",
    ]);
    expect(await store.sessions.messages("shared")).toHaveLength(1);
    await store.close();
  });

  it("keeps every acknowledged message of several writers of a session, each number once", async () => {
    await using folder = await createTemporaryFolder();
    const file = folder.at("tacklebox.db");
    const store = await openSharedSession(file);
    const writers = await openTogether(file, ["one", "two", "three"]);
    for (const child of writers) child.tell("append up to 40");
    const acknowledged = (await Promise.all(writers.map((child) => child.heardUntilItEnds()))).flat();
    const kept = (await store.sessions.messages("shared")).map(({ number, message }) => {
      const [part] = message.role === "user" ? message.parts : [];
      return `${part?.type === "text" ? part.text : "nobody"} ${number}`;
    });
    expect(kept.map((text) => text.split(" ")[1])).toEqual(Array.from({ length: 40 }, (_, index) => String(index + 1)));
    expect(acknowledged.sort()).toEqual(kept.sort());
    await store.close();
  });
});
