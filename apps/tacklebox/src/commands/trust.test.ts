import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runProgram } from "../program.ts";
import { createMemoryIo } from "../testing/memory-io.ts";
import { operatorEnv } from "../testing/operator-env.ts";
import { createScriptedEngine, type EngineScript, serverView } from "../testing/scripted-engine.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tacklebox-trust-"));
  writeFileSync(join(folder, "tacklebox.yaml"), "servers:\n  files:\n    command: files-server\n");
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(argv: readonly string[], script: EngineScript) {
  const io = createMemoryIo({ cwd: folder, env: operatorEnv(folder, { TACKLEBOX_DATA: folder }) });
  const { open } = createScriptedEngine(script);
  const code = await runProgram(argv, io, open);
  return { code, stdout: io.stdout.text(), stderr: io.stderr.text() };
}

const withServer = (view: Parameters<typeof serverView>[0]): EngineScript => ({
  servers: { list: async () => [serverView(view)] },
});
const up = withServer({ status: "connected" });
const down = withServer({ status: "error", cause: "gone" });

describe("trust", () => {
  const changed = ["read", "write"].map((tool) => ({
    tool,
    fingerprint: tool,
    before: {},
    definition: { title: "New" },
  }));

  it("says what it accepted, and what has changed again since it was shown", async () => {
    const tools = { changed: async () => changed, trust: async () => ["read"] };
    const { code, stdout, stderr } = await run(["trust", "files", "--yes"], { ...up, tools });
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: "Not accepted, because they changed again after they were shown: write\n",
    });
    expect(stdout).toMatch(/^Tool 'read' of server 'files' changed:\n/);
    expect(stdout).toMatch(/^Accepted the new definition of: read$/m);
    const asJson = await run(["trust", "files", "--json", "--yes"], { ...up, tools });
    expect(asJson.code).toBe(4);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ server: "files", accepted: ["read"] });
  });

  it("says when there was nothing to accept", async () => {
    expect(await run(["trust", "files"], up)).toMatchObject({
      code: 0,
      stdout: "Nothing to accept: no tool of server files changed\n",
    });
  });

  it("says so if the server is down or disabled, or has no such tool", async () => {
    expect(await run(["trust", "files"], down)).toMatchObject({
      code: 3,
      stderr: "Server 'files' is not connected: gone\nIts definitions can be compared once it is\n",
    });
    const disabled = withServer({ status: "disabled" });
    expect(await run(["trust", "files"], disabled)).toMatchObject({
      code: 3,
      stderr: "Server 'files' is disabled. To enable it: tacklebox enable files\n",
    });
    expect(await run(["trust", "files", "raed"], up)).toMatchObject({
      code: 3,
      stderr: "Server 'files' has no tool named 'raed'. To see its tools: tacklebox tools --server files\n",
    });
  });
});
