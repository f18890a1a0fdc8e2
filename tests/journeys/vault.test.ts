import { chmod, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runProgram } from "../support/program.ts";
import type { Exit } from "../support/running-process.ts";
import { startHttpFixture } from "../support/servers.ts";
import { fixtureServer, parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

const CANARY = "canary-8d1f/40 7ab?x";
const KEY = "mU0zqvBk3l2Q8d1m0nJkq7oY5cWb9pXeR4tGhVfZsLA=";
const OTHER_KEY = "Zx81wP0aVn5RkQeT7uYbIoGmHdJfLsC3XvN2qWzE9tM=";

/** Creates a data folder, runs the program on it and records everything it prints. */
async function openDataFolder(env: Record<string, string> = {}) {
  const data = await temporaryFolder();
  const printed: string[] = [];
  return {
    data,
    file: (name: string) => join(data, name),
    async run(args: readonly string[], stdin?: string, more: Record<string, string> = {}): Promise<Exit> {
      const options = { env: { TACKLEBOX_DATA: data, ...env, ...more }, ...(stdin === undefined ? {} : { stdin }) };
      const exit = await runProgram(args, options);
      printed.push(exit.stdout, exit.stderr);
      return exit;
    },
    /** Finds where any of these texts appears: in the output, or in a file of the data folder. */
    async findTraces(...texts: readonly string[]): Promise<string[]> {
      const entries = await readdir(data, { recursive: true, withFileTypes: true });
      const files = await Promise.all(
        entries
          .filter((entry) => entry.isFile())
          .map(async ({ name, parentPath }) => [name, await readFile(join(parentPath, name))] as const),
      );
      const places = [...files, ["output", Buffer.from(printed.join("\n"))] as const];
      return places.flatMap(([place, bytes]) => (texts.some((text) => bytes.includes(text)) ? [place] : []));
    },
  };
}

const FORMS = [CANARY, encodeURIComponent(CANARY), Buffer.from(CANARY).toString("base64").replace(/=+$/, "")];

describe("secrets, through the built program", () => {
  it("D.21 S1.47 S1.48 are stored from stdin, reach servers, and are shown nowhere", async () => {
    const vault = await openDataFolder();
    const api = await startHttpFixture("http-auth", { EXPECT_HEADER: `authorization: Bearer ${CANARY}` });
    const keyed = await startHttpFixture("http-auth", { EXPECT_HEADER: `x-custom: ${CANARY}` });
    const config = await toolboxFile({
      toolbox: { collisions: "qualify" },
      servers: {
        token: { url: api.url, authentication: { type: "bearer", token: "${secret:api}" } },
        header: { url: `${keyed.url}?account=\${secret:api}`, headers: { "X-Custom": "${secret:api}" } },
        env: fixtureServer("odd", { GREETING: "${secret:api}" }),
      },
    });

    expect(await vault.run(["secret", "set", "api"], `${CANARY}\n`)).toMatchObject({
      code: 0,
      stdout: "Stored api. Use it in a config file as ${secret:api}\n",
      stderr: "",
    });
    const check = await vault.run(["check", "--json", "--log-level", "debug", "--config", config]);
    expect(check).toMatchObject({ code: 0 });
    for (const server of ["token", "header"]) {
      const { stdout } = await vault.run(["call", server, "seen", "--json", "--config", config]);
      expect(parsed(stdout)).toMatchObject({ status: "success", text: expect.stringMatching(/"without":0/) });
    }
    const { stdout } = await vault.run(["call", "env", "env", "--json", "--config", config]);
    expect(parsed(stdout).text).toContain('"GREETING":"[redacted]"');
    const seen = await (await fetch(`${keyed.origin}/control/seen`)).text();
    expect(seen).toContain(`/mcp?account=${encodeURIComponent(CANARY)}`);

    const called = await vault.run([
      "call",
      "env",
      "structured",
      "--args",
      JSON.stringify({ note: CANARY }),
      "--config",
      config,
    ]);
    expect(called.code).toBe(0);
    await vault.run(["servers", "--config", config]);
    const calls = await vault.run(["calls", "--json", "--config", config]);
    expect(calls.stdout).toContain('"arguments":{"note":"[redacted]"}');
    await vault.run(["secret", "list"]);
    expect(await vault.findTraces(...FORMS)).toEqual([]);
  });

  it("are listed by name, replaced, removed", async () => {
    const vault = await openDataFolder();
    expect(await vault.run(["secret", "list"])).toMatchObject({
      code: 0,
      stdout: "No secrets are stored yet. To store one: tacklebox secret set NAME\n",
    });
    expect(await readdir(vault.data)).toEqual([]);
    await vault.run(["secret", "set", "b"], "value one");
    const again = await vault.run(["secret", "set", "b", "--json"], "value two\r\n");
    expect(parsed(again.stdout)).toEqual({ name: "b", status: "replaced" });
    await vault.run(["secret", "set", "a/1"], "value three");
    const { stdout } = await vault.run(["secret", "list", "--json"]);
    expect(parsed(stdout)).toEqual({
      secrets: [
        { name: "a/1", updated_at: expect.stringMatching(/^\d{4}-/) },
        { name: "b", updated_at: expect.stringMatching(/^\d{4}-/) },
      ],
    });
    expect(await vault.run(["secret", "remove", "b"])).toMatchObject({ code: 0, stdout: "Removed secret 'b'.\n" });
    expect(await vault.run(["secret", "remove", "b"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: "There is no secret 'b'. To see all: tacklebox secret list\n",
    });
  });

  it.each([[["x", CANARY]], [["x", "--value", CANARY]], [["x", `--value=${CANARY}`]], [[`x=${CANARY}`]]])(
    "S1.48 are refused on the command line, and not repeated",
    async (args) => {
      const vault = await openDataFolder();
      const { code, stderr } = await vault.run(["secret", "set", ...args], "");
      expect(code).toBe(2);
      expect(stderr).toMatch(/^error: a value on the command line|^A secret's name has/);
      expect(await vault.findTraces(CANARY)).toEqual([]);
    },
  );

  it.each([
    ["", "There is no value to store. Type it at the prompt, or pipe it in: tacklebox secret set x < file\n"],
    ["\n", "There is no value to store. Type it at the prompt, or pipe it in: tacklebox secret set x < file\n"],
    ["a\0b", "The value contains a NUL character, which neither a header nor an environment variable can hold.\n"],
    ["x".repeat(65 * 1024), "The value is larger than 64 KB. Is this the right file?\n"],
  ])("need a value that can be used", async (stdin, stderr) => {
    const vault = await openDataFolder();
    expect(await vault.run(["secret", "set", "x"], stdin)).toMatchObject({ code: 2, stderr });
  });

  it("that a config names but that are not stored are reported with the next step", async () => {
    const vault = await openDataFolder();
    const config = await toolboxFile({
      servers: { odd: { ...fixtureServer("odd", { A: "${secret:nope}" }), required: true } },
    });
    const { code, stderr } = await vault.run(["check", "--config", config]);
    expect(code).toBe(1);
    expect(stderr).toContain("there is no secret 'nope'. Store it with: tacklebox secret set nope");
    // The vault's key was not needed, so it was not created.
    expect((await readdir(vault.data)).filter((name) => name.startsWith("vault"))).toEqual([]);
  });
});

describe("the vault's key, through the built program", () => {
  it("that is the wrong one opens nothing, changes nothing, and is reported", async () => {
    const vault = await openDataFolder();
    await vault.run(["secret", "set", "x"], CANARY, { TACKLEBOX_VAULT_KEY: KEY });
    const wrong = { TACKLEBOX_VAULT_KEY: OTHER_KEY };
    const refusal =
      "The key at hand is not the one of the stored secrets. Nothing was changed. Bring the old key back, or remove the secrets and store them again.\n";
    expect(await vault.run(["secret", "set", "x"], "other value", wrong)).toMatchObject({ code: 1, stderr: refusal });
    expect(await vault.run(["secret", "set", "y"], "other value", wrong)).toMatchObject({ code: 1, stderr: refusal });
    expect(await vault.run(["secret", "rotate"], "", wrong)).toMatchObject({ code: 1, stderr: refusal });
    const config = await toolboxFile({ servers: { odd: fixtureServer("odd", { GREETING: "${secret:x}" }) } });
    const failed = await vault.run(["servers", "--json", "--config", config], "", wrong);
    expect(failed.stdout).toContain("the secret 'x' cannot be used: The key at hand is not the one of the secret 'x'.");
    const call = await vault.run(["call", "odd", "env", "--config", config], "", { TACKLEBOX_VAULT_KEY: KEY });
    expect(call.stdout).toContain('"GREETING":"[redacted]"');
    expect(await vault.findTraces(...FORMS)).toEqual([]);
  });

  it("T07 is known to no server and no config file", async () => {
    const vault = await openDataFolder({ TACKLEBOX_VAULT_KEY: KEY });
    const config = await toolboxFile({ servers: { odd: fixtureServer("odd") } });
    const { stdout } = await vault.run(["call", "odd", "env", "--config", config]);
    expect(stdout).not.toContain("TACKLEBOX_VAULT_KEY");
    const naming = await toolboxFile({ servers: { odd: fixtureServer("odd", { A: "${TACKLEBOX_VAULT_KEY}" }) } });
    const { code, stderr } = await vault.run(["check", "--config", naming]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("'TACKLEBOX_VAULT_KEY', used by server 'odd', is not set"),
    ]);
    expect(await vault.findTraces(KEY, KEY.slice(0, 20))).toEqual([]);
  });

  it("that is a sample or too short is refused with how to make one", async () => {
    const vault = await openDataFolder({ TACKLEBOX_VAULT_KEY: "changeme" });
    expect(await vault.run(["secret", "set", "x"], "some value")).toMatchObject({
      code: 1,
      stderr:
        "The vault is locked: TACKLEBOX_VAULT_KEY cannot be used: it must be at least 32 random bytes in base64. Make one with: openssl rand -base64 32\n",
    });
  });

  it("in a file that others can read is refused until it is closed", async () => {
    const vault = await openDataFolder();
    await vault.run(["secret", "set", "x"], CANARY);
    const file = vault.file("vault.key");
    await chmod(file, 0o644);
    expect(await vault.run(["secret", "set", "y"], "some value")).toMatchObject({
      code: 1,
      stderr: `The vault is locked: ${file} is open to other users (mode 0644). Close it with: chmod 600 '${file}' and, if somebody else may have read it, replace the key with: tacklebox secret rotate\n`,
    });
    await chmod(file, 0o600);
    expect(await vault.run(["secret", "rotate", "--json"])).toMatchObject({ code: 0, stdout: '{"rewrapped":1}\n' });
    const config = await toolboxFile({ servers: { odd: fixtureServer("odd", { GREETING: "${secret:x}" }) } });
    const { stdout } = await vault.run(["call", "odd", "env", "--config", config]);
    expect(stdout).toContain('"GREETING":"[redacted]"');
    expect(await vault.findTraces(...FORMS)).toEqual([]);
  });

  it("moves from one variable to the next with a rotation", async () => {
    const vault = await openDataFolder();
    await vault.run(["secret", "set", "x"], CANARY, { TACKLEBOX_VAULT_KEY: KEY });
    const both = { TACKLEBOX_VAULT_KEY: OTHER_KEY, TACKLEBOX_VAULT_KEY_PREVIOUS: KEY };
    expect(await vault.run(["secret", "rotate"], "", both)).toMatchObject({
      code: 0,
      stdout: "1 secret was encrypted with the new key.\n",
    });
    const only = { TACKLEBOX_VAULT_KEY: OTHER_KEY };
    expect(await vault.run(["secret", "rotate"], "", only)).toMatchObject({
      code: 0,
      stdout: "Nothing to do: every stored secret already has the current key.\n",
    });
    expect(await vault.run(["secret", "set", "y"], "some value", only)).toMatchObject({ code: 0 });
  });
});
