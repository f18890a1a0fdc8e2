import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EngineConfig } from "@tacklebox/core";
import { waitUntil } from "@tacklebox/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { OpenRequest } from "../compose-engine.ts";
import { emptyConfig } from "../config-file/load-optional-config.ts";
import { createMemoryIo } from "../testing/memory-io.ts";
import { operatorEnv } from "../testing/operator-env.ts";
import { createScriptedEngine, type EngineScript } from "../testing/scripted-engine.ts";
import { type ConfigSource, type OpenOptions, openEngine } from "./open.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tacklebox-open-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const SECRET = "s3cr3t-of-a-server";
const CONFIG = `servers:\n  files:\n    command: x\n    env: { API_TOKEN: ${SECRET} }\n`;
const never = new AbortController().signal;
const everything = { kind: "everything" } as const;

function write(text: string): void {
  // Replaced in one step, as editors do, so that a watcher never sees half of it.
  writeFileSync(join(folder, "new"), text);
  renameSync(join(folder, "new"), join(folder, "tacklebox.yaml"));
}

async function open(config: ConfigSource, script: EngineScript = {}, more: Partial<OpenOptions> = {}) {
  const io = createMemoryIo({ cwd: folder, home: folder, env: operatorEnv(folder, { TACKLEBOX_DATA: folder }) });
  const scripted = createScriptedEngine(script);
  const requests: OpenRequest[] = [];
  const logged: string[] = [];
  const context = {
    io,
    openEngine: (request: OpenRequest) => {
      requests.push(request);
      return scripted.open(request);
    },
  };
  const common = { config: undefined, json: false, logLevel: "info", logFormat: "text" } as const;
  const writeLog = (line: string) => void logged.push(line);
  const opened = await openEngine(context, {
    ...{ common, defaultLevel: "warn", writeLog, config },
    ...more,
  });
  return { opened, requests, logged, steps: scripted.steps };
}

async function mustOpen(config: ConfigSource, script: EngineScript = {}, more: Partial<OpenOptions> = {}) {
  const { opened, ...rest } = await open(config, script, more);
  if (opened.kind === "refused") throw new Error(opened.messages.join("\n"));
  return { opened, ...rest };
}

describe("the config source", () => {
  it("required: refuses without a file, and opens nothing", async () => {
    const { opened, requests } = await open("required");
    expect(opened).toMatchObject({ kind: "refused", messages: [expect.stringContaining("No config file found.")] });
    expect(requests).toEqual([]);
  });

  it("optional: goes on without a file, and warns about it only as optional-hint", async () => {
    const silent = await mustOpen("optional");
    expect([silent.opened.configFile, silent.opened.config.servers, silent.opened.warnings]).toEqual([
      undefined,
      [],
      [],
    ]);
    const hinted = await mustOpen("optional-hint");
    expect(hinted.opened.warnings).toEqual([expect.stringMatching(/^No config file yet, so there are no tools\./)]);
    expect(hinted.logged).toEqual([`warn ${hinted.opened.warnings[0]}\n`]);
  });

  it("every source but none reads an existing file; none works with a broken one", async () => {
    write(CONFIG);
    for (const source of ["required", "optional", "optional-hint"] as const) {
      const { opened } = await mustOpen(source);
      expect([opened.configFile, opened.config.servers.length]).toEqual([join(folder, "tacklebox.yaml"), 1]);
    }
    write("servers: [");
    expect((await open("optional")).opened.kind).toBe("refused");
    const { opened } = await mustOpen("none");
    expect([opened.configFile, opened.config.servers]).toEqual([undefined, []]);
    // Without a setting for how long calls are kept, none may be deleted.
    expect(opened.config.calls).toBeUndefined();
  });

  it("a config that is already loaded is used as it is", async () => {
    const config = emptyConfig();
    const { opened } = await mustOpen({ kind: "ok", file: "/x.yaml", origin: "operator", config, warnings: ["odd"] });
    expect([opened.configFile, opened.config, opened.warnings]).toEqual(["/x.yaml", config, ["odd"]]);
  });
});

describe("an opened engine", () => {
  it("knows the secrets of its config before anything is logged or started", async () => {
    write(CONFIG);
    const { opened, requests, logged } = await mustOpen("required");
    opened.logger.log("warn", `it said ${SECRET}`);
    expect(logged).toEqual(["warn it said [redacted]\n"]);
    expect(opened.warnings).toEqual(["it said [redacted]"]);
    expect(requests[0]?.knownSecrets.redact(SECRET)).toBe("[redacted]");
  });

  it("passes on whether a person sees the questions of servers", async () => {
    const asked = async (answers?: boolean) =>
      (await open("none", {}, answers === undefined ? {} : { answersQuestions: answers })).requests[0]
        ?.answersQuestions;
    expect([await asked(), await asked(true)]).toEqual([false, true]);
  });

  it("starts once, and gives up without problems when it is aborted", async () => {
    const problem = { kind: "misconfigured", text: "no" } as const;
    const { opened, steps } = await mustOpen("none", { host: { start: async () => ({ problems: [problem] }) } });
    expect(await Promise.all([opened.start(never, everything), opened.start(never, everything)])).toEqual([
      [problem],
      [problem],
    ]);
    expect(steps).toEqual(["start"]);

    const aborted = AbortSignal.abort();
    const late = await mustOpen("none", { host: { start: async () => ({ problems: [problem] }) } });
    expect(await late.opened.start(aborted, everything)).toEqual([]);
    const broken = { host: { start: () => Promise.reject(new Error("stopped")) } };
    expect(await (await mustOpen("none", broken)).opened.start(aborted, everything)).toEqual([]);
    await expect((await mustOpen("none", broken)).opened.start(never, everything)).rejects.toThrow("stopped");
  });

  it("is detached once, with the first call's drain time, and closed even when it cannot be stopped", async () => {
    const { opened, steps } = await mustOpen("none");
    await Promise.all([opened.detach(10_000), opened.detach()]);
    expect(steps).toEqual(["stop 10000", "close"]);
    const broken = await mustOpen("none", { host: { stop: () => Promise.reject(new Error("stuck")) } });
    await expect(broken.opened.detach()).rejects.toThrow("stuck");
    expect(broken.steps).toEqual(["stop 0", "close"]);
  });
});

describe("following the config file", () => {
  async function follow(changes: readonly string[] = []) {
    const reloads: EngineConfig[] = [];
    const told: (readonly string[])[] = [];
    const reload = async (config: EngineConfig) => {
      reloads.push(config);
      return { changes, problems: [] };
    };
    const longRunning = { metricsPort: undefined, onReload: (lines: readonly string[]) => void told.push(lines) };
    const { opened, logged } = await mustOpen("required", { host: { reload } }, { longRunning });
    return { opened, reloads, logged, told };
  }

  it("reloads on every change once started; logs an invalid file, which changes nothing; and ends when detached", async () => {
    write("servers: {}\n");
    const { opened, reloads, logged, told } = await follow(["Configuration: server 'files' added"]);
    expect(logged).toEqual([`info Watching ${join(folder, "tacklebox.yaml")} for changes\n`]);
    write("servers: [");
    await opened.start(never, everything);
    await waitUntil(() => logged.length === 2);
    expect(logged[1]).toMatch(/^error [\s\S]*\nNothing was changed\.\n$/);
    write(CONFIG);
    await waitUntil(() => reloads.length === 1);
    expect(reloads[0]?.servers).toMatchObject([{ key: "files" }]);
    await waitUntil(() => told.length === 1);
    expect(told).toEqual([["Configuration: server 'files' added"]]);
    await opened.detach();
  });

  it("waits for the start, and not at all for one that never comes", async () => {
    write("servers: {}\n");
    const { opened, reloads } = await follow();
    write(CONFIG);
    await opened.detach();
    expect(reloads).toEqual([]);
  });

  it("a reload that was asked for is answered and tells nobody else", async () => {
    write("servers: {}\n");
    const { opened, told } = await follow(["Configuration: toolbox.tools changed"]);
    const file = join(folder, "tacklebox.yaml");
    const changes = ["Configuration: toolbox.tools changed"];
    expect(await opened.reloadConfig()).toEqual({ kind: "reloaded", file, changes, problems: [] });
    write("servers: [");
    expect(await opened.reloadConfig()).toMatchObject({ kind: "refused", level: "error" });
    expect(told).toEqual([]);
    await opened.detach();
  });

  it("does nothing without a file, or in a command that does one thing and ends", async () => {
    const { opened, logged } = await mustOpen("none", {}, { longRunning: { metricsPort: undefined } });
    expect([logged, await opened.reloadConfig()]).toEqual([[], { kind: "no-file" }]);
    await opened.detach();
    write(CONFIG);
    const oneShot = await mustOpen("required");
    expect(oneShot.logged).toEqual([]);
    await oneShot.opened.detach();
  });
});

it("says why the engine cannot be opened", async () => {
  const io = createMemoryIo({ cwd: folder, home: folder });
  const openRefused = async () => ({ kind: "refused", message: "The disk is gone" }) as const;
  const common = { config: undefined, json: false, logLevel: undefined, logFormat: undefined };
  const options = { common, writeLog: () => undefined } as const;
  expect(
    await openEngine({ io, openEngine: openRefused }, { ...options, defaultLevel: "warn", config: "none" }),
  ).toEqual({ kind: "refused", messages: ["The disk is gone"] });
});
