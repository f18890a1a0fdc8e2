import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LANGUAGES, MODEL_KEY, modelEntry, startScriptedVendor } from "../support/model-servers.ts";
import { runProgram } from "../support/program.ts";
import { answer, calls, linesOf, ofType } from "../support/run-lines.ts";
import { startHttpFixture } from "../support/servers.ts";
import { fixtureServer, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder, writeConfig } from "../support/workspace.ts";

const canary = (name: string) => `canary-${name}-${crypto.randomUUID()}`;
const CANARIES = {
  env: canary("env"),
  vault: canary("vault"),
  header: canary("header"),
  model: MODEL_KEY,
  vaultModel: canary("vault-model"),
};

function canariesIn(text: string): string[] {
  const forms = Object.entries(CANARIES).flatMap(([name, value]) => [
    [name, value],
    [name, Buffer.from(value).toString("base64").replace(/=+$/, "")],
  ]);
  return forms.flatMap(([name = "", form = ""]) => (text.includes(form) ? [name] : []));
}

async function bytesOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(files.map((file) => readFile(file, "latin1")))).join("\n");
}

describe.each(LANGUAGES)("S1.47 S1.48 D.21 with a model that speaks %s, credentials", (language) => {
  /** Sets up servers and models with a secret of each kind, and a model that calls tools which leak them. */
  async function setUp() {
    const data = await temporaryFolder();
    const env = { TACKLEBOX_DATA: data };
    await runProgram(["secret", "set", "api"], { env, stdin: CANARIES.vault });
    await runProgram(["secret", "set", "model.key"], { env, stdin: CANARIES.vaultModel });
    const http = await startHttpFixture("http-auth", { EXPECT_HEADER: `authorization: Bearer ${CANARIES.header}` });
    const vendor = await startScriptedVendor(language, [
      calls(["env", {}], ["seen", {}], ["rpc_error", {}]),
      calls(["die", {}]),
      answer("I know nothing."),
    ]);
    const leakyTool = { name: "told", description: `Uses ${CANARIES.env}`, inputSchema: { type: "object" } };
    const listed = await writeConfig(await temporaryFolder(), "tools.json", JSON.stringify([leakyTool]));
    const config = await toolboxFile({
      servers: {
        shifty: fixtureServer("shifty", { SHIFTY_FILE: listed, API_TOKEN: CANARIES.env }),
        odd: fixtureServer("odd", { API_TOKEN: CANARIES.env, GREETING: "${secret:api}" }),
        http: { url: http.url, headers: { Authorization: `Bearer ${CANARIES.header}` } },
      },
      models: {
        plain: modelEntry(language, vendor.url),
        sealed: modelEntry(language, vendor.url, { api_key: "${secret:model.key}" }),
      },
    });
    const run = (...args: string[]) =>
      runProgram(["run", ...args, "--config", config, "--log-level", "debug"], { env });
    return { data, vendor, run };
  }

  it("reach neither the model, nor any output, nor the data folder; in a tool's result they are redacted", async () => {
    const { data, vendor, run } = await setUp();
    const { code, stdout, stderr } = await run("go", "--json", "--model", "plain");
    expect([code, vendor.requests.length]).toEqual([0, 3]);
    // The credentials were used, and the tools' results contained them.
    expect(JSON.stringify(vendor.requests[0]?.headers)).toContain(CANARIES.model);
    const results = new Map(ofType(linesOf(stdout), "call-ended").map(({ tool, text }) => [tool, text]));
    expect(results.get("env")).toContain('"API_TOKEN":"[redacted]","GREETING":"[redacted]"');
    expect(results.get("seen")).toContain('"without":0');
    expect(vendor.requests[1]?.body).toContain("API_TOKEN");
    expect(vendor.requests[0]?.body).toContain("Uses [redacted]");

    expect(canariesIn(stdout + stderr)).toEqual([]);
    expect(canariesIn(vendor.requests.map(({ body }) => body).join("\n"))).toEqual([]);
    expect(canariesIn(await bytesOf(data))).toEqual([]);
  });

  it("are redacted in what is stored even when a person types one, and a model's key may be in the vault", async () => {
    const { data, vendor, run } = await setUp();
    const { code, stdout, stderr } = await run(`use ${CANARIES.header}`, "--model", "sealed", "--log-format", "text");
    expect(code).toBe(0);
    expect(JSON.stringify(vendor.requests[0]?.headers)).toContain(CANARIES.vaultModel);
    expect(stdout).toBe("I know nothing.\n");
    expect(canariesIn(stdout + stderr)).toEqual([]);
    expect(canariesIn(await bytesOf(data))).toEqual([]);
  });
});
