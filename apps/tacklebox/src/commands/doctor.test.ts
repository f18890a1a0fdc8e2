import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { ModelSummary, ServerView } from "@tacklebox/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkNode } from "../doctor/check-node.ts";
import { runProgram } from "../program.ts";
import { createMemoryIo } from "../testing/memory-io.ts";
import { operatorEnv } from "../testing/operator-env.ts";
import { createScriptedEngine, type EngineScript, serverView } from "../testing/scripted-engine.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tacklebox-doctor-"));
  writeFileSync(join(folder, "tacklebox.yaml"), "servers:\n  files:\n    command: files-server\n    required: true\n");
});
afterEach(() => rmSync(folder, { recursive: true }));

const MODEL: ModelSummary = {
  name: "m",
  vendor: "openai",
  modelId: "gpt",
  isDefault: true,
  source: "OPENAI_API_KEY",
  vision: true,
  contextTokens: 1,
};

const CONNECTED = serverView();

async function run(
  script: EngineScript = {},
  { argv = ["doctor"], env = {} }: { argv?: readonly string[]; env?: Record<string, string> } = {},
) {
  const engine = createScriptedEngine({
    servers: { list: async () => [CONNECTED] },
    models: { list: async () => [MODEL] },
    ...script,
  });
  const io = createMemoryIo({
    cwd: folder,
    home: folder,
    env: operatorEnv(folder, { TACKLEBOX_DATA: join(folder, "data"), ...env }),
  });
  mkdirSync(join(folder, "data"), { recursive: true });
  const code = await runProgram(argv, io, engine.open);
  return { code, stdout: io.stdout.text(), stderr: io.stderr.text(), steps: engine.steps };
}

/** Runs with the real engine. Nothing listens at that address, so that no local Ollama is found. */
async function runReal(env: Record<string, string> = {}) {
  const data = { TACKLEBOX_DATA: join(folder, "data"), OLLAMA_HOST: "127.0.0.1:9" };
  const io = createMemoryIo({ cwd: folder, home: folder, env: operatorEnv(folder, { ...data, ...env }) });
  const code = await runProgram(["doctor"], io);
  return { code, stdout: io.stdout.text() };
}

describe("tacklebox doctor", () => {
  it("reports each check that passes, starts the servers and leaves none running", async () => {
    const { code, stdout, stderr, steps } = await run();
    expect([code, stderr, steps]).toEqual([0, "", ["start", "stop 0", "close"]]);
    expect(stdout.replace(/\d+ KiB/, "N KiB")).toBe(`ok       node     Node.js 20.19.0
ok       config   ${folder}/tacklebox.yaml: 1 server
ok       data     ${folder}/data: N KiB
ok       data     ${folder}/data/tacklebox.db is sound
ok       vault    No secrets are stored. Their key would be kept in this system's keychain, or in ${folder}/data/vault.key where there is none.
ok       server   files: connected, 2 tools
ok       model    m: gpt (OPENAI_API_KEY), the default
                  -> To see whether it answers: tacklebox model test m

No problems found.
`);
  });

  it("exits 1 for a required server that is down, with the cause, and checks the rest", async () => {
    const down: ServerView = { ...CONNECTED, status: "error", toolCount: 0, cause: "it is\nnot \u001b[31mthere" };
    const { code, stdout } = await run({ servers: { list: async () => [down] }, models: {} });
    expect(code).toBe(1);
    expect(stdout).toContain(`problem  server   files: it is
                  not \\x1b[31mthere
                  -> Check its entry in ${folder}/tacklebox.yaml, or disable it: tacklebox disable files
warn     model    There is only the demo model, which only matches words.
`);
    expect(stdout).toMatch(/\n\n1 problem, 1 warning\.\n$/);
  });

  it("only warns of an optional server that is down and of unusable tools, and not of a server that is disabled", async () => {
    const servers: readonly ServerView[] = [
      { ...CONNECTED, required: false, status: "error", cause: "gone" },
      { ...CONNECTED, quarantined: [{ name: "odd", reason: "its schema is no object" }] },
      { ...CONNECTED, status: "disabled" },
    ];
    const { code, stdout } = await run({ servers: { list: async () => servers } }, { argv: ["doctor", "--json"] });
    expect(code).toBe(0);
    const { ok, findings } = JSON.parse(stdout);
    expect(ok).toBe(true);
    const verdicts = findings.filter(({ about }: { about: string }) => about === "server");
    expect(verdicts).toMatchObject([{ verdict: "warn" }, { verdict: "warn" }, { verdict: "ok" }]);
  });

  it("reports a toolbox that cannot start", async () => {
    const problem = { kind: "strict-violation", server: "files", text: "Tool 'x' is not declared" } as const;
    const { code, stdout } = await run({ host: { start: async () => ({ problems: [problem] }) } });
    expect(code).toBe(1);
    expect(stdout).toContain("problem  toolbox  files: Tool 'x' is not declared\n");
  });

  it("checks everything else when the config is broken or missing", async () => {
    writeFileSync(join(folder, "tacklebox.yaml"), "servers: [");
    const broken = await run({ servers: {} });
    expect(broken.code).toBe(1);
    expect(broken.stdout).toMatch(new RegExp(`^problem  config   ${folder}/tacklebox.yaml:`, "m"));
    expect(broken.stdout).toContain("ok       model    m:");
    rmSync(join(folder, "tacklebox.yaml"));
    const missing = await run({ servers: {} });
    expect(missing.code).toBe(0);
    expect(missing.stdout).toContain("warn     config   There is no config file. Looked at: ");
  });

  it("reports a data folder that cannot be used", async () => {
    writeFileSync(join(folder, "data"), "not a folder");
    const { code, stdout } = await runReal();
    expect(code).toBe(1);
    expect(stdout).toContain("problem  data     Cannot open ");
    expect(stdout).toContain("TACKLEBOX_DATA names another.");
  });

  it("reports secrets that cannot be read, and where the key is when they can", async () => {
    const key = "mU0zqvBk3l2Q8d1m0nJkq7oY5cWb9pXeR4tGhVfZsLA=";
    writeFileSync(join(folder, "tacklebox.yaml"), "servers: {}\n");
    const env = { TACKLEBOX_DATA: join(folder, "data"), TACKLEBOX_VAULT_KEY: key };
    await runProgram(
      ["secret", "set", "TOKEN"],
      createMemoryIo({ cwd: folder, env, stdin: Readable.from(["some value"]) }),
    );
    const well = await runReal(env);
    expect(well.code).toBe(0);
    expect(well.stdout).toContain("ok       vault    1 secret can be read; the key is in TACKLEBOX_VAULT_KEY\n");
    const lost = await runReal({ TACKLEBOX_VAULT_KEY: key.replace("mU0", "nU0") });
    expect(lost.code).toBe(1);
    expect(lost.stdout).toContain("problem  vault    TOKEN: ");
    expect(lost.stdout).toContain("-> If its key is lost, store it again: tacklebox secret set TOKEN\n");
    expect(lost.stdout).not.toContain(key.slice(4, 20));
  });

  it.each([
    ["20.19.0", "ok"],
    ["24.0.0", "ok"],
    ["20.18.9", "problem"],
    ["18.20.0", "problem"],
  ])("finds Node.js %s %s", (version, verdict) => expect(checkNode(version).verdict).toBe(verdict));
});
