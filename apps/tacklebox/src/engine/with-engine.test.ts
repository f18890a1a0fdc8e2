import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StoreError } from "@tacklebox/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Context } from "../command-options.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { createMemoryIo } from "../testing/memory-io.ts";
import { operatorEnv } from "../testing/operator-env.ts";
import { createScriptedEngine, type EngineScript } from "../testing/scripted-engine.ts";
import {
  type IdleEngine,
  oneShot,
  withEngine,
  withExistingRecords,
  withIdleEngine,
  withRecords,
  withStartedEngine,
  withStartedEngineEvenUnconfigured,
} from "./with-engine.ts";

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
  const io = createMemoryIo({
    cwd: folder,
    home: folder,
    env: operatorEnv(folder, { TACKLEBOX_DATA: join(folder, "data") }),
  });
  const { open, steps } = createScriptedEngine(script);
  return { io, context: { io, openEngine: open }, steps };
}

function writeConfig(): void {
  writeFileSync(join(folder, "tacklebox.yaml"), "servers: {}\n");
}

const ok = async (): Promise<ExitCode> => EXIT.ok;
const unused = (): never => {
  throw new Error("it was used");
};

describe("a started engine", () => {
  it("needs a config file unless the command works without one", async () => {
    const { io, context, steps } = setUp();
    for (const withAny of [withEngine, withStartedEngine]) expect(await withAny(context, use, unused)).toBe(1);
    expect(io.stderr.text()).toContain("No config file found.");
    expect(steps).toEqual([]);
    expect(await withStartedEngineEvenUnconfigured(context, use, ok)).toBe(0);
    expect(steps).toEqual(["start", "stop 0", "close"]);
  });

  it("is passed on with its problems, or not at all to commands that need it without problems", async () => {
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

  it("is not passed on when the program is interrupted before it has started", async () => {
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

describe("a command that uses an engine", () => {
  type WithEngine = (context: Context, command: () => Promise<ExitCode>) => Promise<ExitCode>;
  const ways: readonly (readonly [string, WithEngine])[] = [
    ["started", (context, command) => withStartedEngineEvenUnconfigured(context, use, command)],
    ["idle", (context, command) => withIdleEngine(context, COMMON, command)],
    ["kept", (context, command) => withRecords(context, COMMON, command)],
  ];
  it.each(ways)(
    "leaves nothing running however it ends, and says what is wrong with the store: %s",
    async (_, withAny) => {
      const { io, context, steps } = setUp();
      await expect(withAny(context, () => Promise.reject(new Error("a bug")))).rejects.toThrow("a bug");
      expect(steps.slice(-2)).toEqual(["stop 0", "close"]);
      const full = new StoreError("write-failed", "The disk is full");
      expect(await withAny(context, () => Promise.reject(full))).toBe(1);
      expect(io.stderr.text()).toContain("The disk is full\n");
      expect(steps.slice(-2)).toEqual(["stop 0", "close"]);
    },
  );
});

describe("an engine that starts no server", () => {
  it("needs no config, but an existing one must be valid", async () => {
    const { context, steps } = setUp(broken);
    const engines: IdleEngine[] = [];
    const take = async (idle: IdleEngine) => {
      engines.push(idle);
      return EXIT.ok;
    };
    expect(await withIdleEngine(context, COMMON, take)).toBe(0);
    writeConfig();
    expect(await withIdleEngine(context, COMMON, take)).toBe(0);
    expect(engines.map(({ configFile }) => configFile)).toEqual([undefined, join(folder, "tacklebox.yaml")]);
    expect(steps).toEqual(["stop 0", "close", "stop 0", "close"]);
    writeFileSync(join(folder, "tacklebox.yaml"), "servers: [");
    expect(await withIdleEngine(context, COMMON, unused)).toBe(1);
  });

  it("reports Ctrl-C", async () => {
    const { io, context } = setUp();
    const code = await withIdleEngine(context, COMMON, async ({ interrupted }) => {
      io.raise("SIGINT");
      return interrupted.aborted ? EXIT.interrupted : EXIT.ok;
    });
    expect(code).toBe(130);
  });

  it("on stored data reads no config, and with withExistingRecords creates nothing", async () => {
    writeFileSync(join(folder, "tacklebox.yaml"), "servers: [");
    const { io, context, steps } = setUp();
    expect(
      await withExistingRecords(context, COMMON, async (kept) => (kept === undefined ? EXIT.ok : EXIT.usage)),
    ).toBe(0);
    expect([steps, existsSync(join(folder, "data")), io.stderr.text()]).toEqual([[], false, ""]);
    expect(await withRecords(context, COMMON, ok)).toBe(0);
    expect(steps).toEqual(["stop 0", "close"]);
  });
});
