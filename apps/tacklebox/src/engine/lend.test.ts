import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StoreError } from "@tacklebox/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Context } from "../command-options.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { createMemoryIo } from "../testing/memory-io.ts";
import { createScriptedEngine, type EngineScript } from "../testing/scripted-engine.ts";
import {
  type IdleEngine,
  oneShot,
  withEngine,
  withIdleEngine,
  withKept,
  withKeptIfAny,
  withStartedEngine,
  withStartedEngineEvenUnconfigured,
} from "./lend.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tacklebox-lend-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const COMMON = { config: undefined, json: false, logLevel: undefined, logFormat: undefined };
const use = oneShot(COMMON);
const PROBLEM = { kind: "misconfigured", text: "It cannot start" } as const;
const broken: EngineScript = { host: { start: async () => ({ problems: [PROBLEM] }) } };

function setUp(script: EngineScript = {}) {
  const io = createMemoryIo({ cwd: folder, home: folder, env: { TACKLEBOX_DATA: join(folder, "data") } });
  const { open, steps } = createScriptedEngine(script);
  return { io, context: { io, openEngine: open }, steps };
}

function writeConfig(): void {
  writeFileSync(join(folder, "tacklebox.yaml"), "servers: {}\n");
}

const ok = async (): Promise<ExitCode> => EXIT.ok;
const unused = (): never => {
  throw new Error("it was lent");
};

describe("a started engine", () => {
  it("needs a config file unless it is said that it does not", async () => {
    const { io, context, steps } = setUp();
    for (const lend of [withEngine, withStartedEngine]) expect(await lend(context, use, unused)).toBe(1);
    expect(io.stderr.text()).toContain("No config file found.");
    expect(steps).toEqual([]);
    expect(await withStartedEngineEvenUnconfigured(context, use, ok)).toBe(0);
    expect(steps).toEqual(["start", "stop 0", "close"]);
  });

  it("is lent with its problems, or not at all to whoever has nothing to do then", async () => {
    writeConfig();
    const { io, context, steps } = setUp(broken);
    expect(await withEngine(context, use, async ({ problems }) => (problems.length === 1 ? EXIT.usage : EXIT.ok))).toBe(
      2,
    );
    expect(io.stderr.text()).toBe("");
    expect(await withStartedEngine(context, use, unused)).toBe(1);
    expect(io.stderr.text()).toBe("It cannot start\n");
    expect(steps).toEqual(["start", "stop 0", "close", "start", "stop 0", "close"]);
  });

  it("is not lent when somebody ends the program before it is up", async () => {
    writeConfig();
    const { io, context } = setUp({
      host: {
        async start() {
          io.raise("SIGTERM");
          return { problems: [PROBLEM] };
        },
      },
    });
    expect(await withStartedEngine(context, { ...use, exitWhenTerminated: EXIT.ok }, unused)).toBe(0);
    expect(await withStartedEngine(context, use, unused)).toBe(130);
    expect(io.stderr.text()).toBe("");
  });
});

describe("whoever is lent an engine", () => {
  type Lend = (context: Context, lent: () => Promise<ExitCode>) => Promise<ExitCode>;
  const ways: readonly (readonly [string, Lend])[] = [
    ["started", (context, lent) => withStartedEngineEvenUnconfigured(context, use, lent)],
    ["idle", (context, lent) => withIdleEngine(context, COMMON, lent)],
    ["kept", (context, lent) => withKept(context, COMMON, lent)],
  ];
  it.each(ways)(
    "leaves nothing running however that ends, and says what is wrong with the store: %s",
    async (_, lend) => {
      const { io, context, steps } = setUp();
      await expect(lend(context, () => Promise.reject(new Error("a bug")))).rejects.toThrow("a bug");
      expect(steps.slice(-2)).toEqual(["stop 0", "close"]);
      const full = new StoreError("write-failed", "The disk is full");
      expect(await lend(context, () => Promise.reject(full))).toBe(1);
      expect(io.stderr.text()).toContain("The disk is full\n");
      expect(steps.slice(-2)).toEqual(["stop 0", "close"]);
    },
  );
});

describe("an engine that starts no server", () => {
  it("needs no config, but one that is there must be right", async () => {
    const { context, steps } = setUp(broken);
    const lent: IdleEngine[] = [];
    const take = async (session: IdleEngine) => {
      lent.push(session);
      return EXIT.ok;
    };
    expect(await withIdleEngine(context, COMMON, take)).toBe(0);
    writeConfig();
    expect(await withIdleEngine(context, COMMON, take)).toBe(0);
    expect(lent.map(({ configFile }) => configFile)).toEqual([undefined, join(folder, "tacklebox.yaml")]);
    expect(steps).toEqual(["stop 0", "close", "stop 0", "close"]);
    writeFileSync(join(folder, "tacklebox.yaml"), "servers: [");
    expect(await withIdleEngine(context, COMMON, unused)).toBe(1);
  });

  it("tells of Ctrl-C", async () => {
    const { io, context } = setUp();
    const code = await withIdleEngine(context, COMMON, async ({ interrupted }) => {
      io.raise("SIGINT");
      return interrupted.aborted ? EXIT.interrupted : EXIT.ok;
    });
    expect(code).toBe(130);
  });

  it("over what is kept reads no config, and makes nothing where it is asked not to", async () => {
    writeFileSync(join(folder, "tacklebox.yaml"), "servers: [");
    const { io, context, steps } = setUp();
    expect(await withKeptIfAny(context, COMMON, async (kept) => (kept === undefined ? EXIT.ok : EXIT.usage))).toBe(0);
    expect([steps, existsSync(join(folder, "data")), io.stderr.text()]).toEqual([[], false, ""]);
    expect(await withKept(context, COMMON, ok)).toBe(0);
    expect(steps).toEqual(["stop 0", "close"]);
  });
});
