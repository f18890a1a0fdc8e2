import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runProgram } from "../program.ts";
import { createMemoryIo } from "../testing/memory-io.ts";
import { operatorEnv } from "../testing/operator-env.ts";

const KEY = "mU0zqvBk3l2Q8d1m0nJkq7oY5cWb9pXeR4tGhVfZsLA=";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tacklebox-edit-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(argv: readonly string[], stdin = "") {
  const env = operatorEnv(folder, { TACKLEBOX_DATA: join(folder, "data"), TACKLEBOX_VAULT_KEY: KEY });
  const io = createMemoryIo({ cwd: folder, home: folder, env, stdin: Readable.from(stdin === "" ? [] : [stdin]) });
  const code = await runProgram(argv, io);
  return { code, stdout: io.stdout.text(), stderr: io.stderr.text() };
}

function write(text: string, name = "tacklebox.yaml"): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

function read(name = "tacklebox.yaml"): string {
  return readFileSync(join(folder, name), "utf8");
}

describe("tacklebox add", () => {
  it("creates the file, readable by its owner alone", async () => {
    const { code, stdout } = await run([
      "add",
      "files",
      "--command",
      "npx",
      "--arg",
      "-y",
      "--arg",
      "pkg@1",
      "--env",
      "A=b=c",
    ]);
    expect([code, stdout]).toEqual([0, `Added 'files' to ${folder}/tacklebox.yaml\n`]);
    expect(read()).toBe(
      "servers:\n  files:\n    command: npx\n    args:\n      - -y\n      - pkg@1\n    env:\n      A: b=c\n",
    );
    expect(statSync(join(folder, "tacklebox.yaml")).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["data", "tacklebox.yaml"]);
  });

  it("writes every option", async () => {
    const options = ["--transport", "sse", "--mode", "strict", "--required", "--to", "mine.json", "--json"];
    const header = "Authorization: Bearer ${secret:NOTES}";
    const { stdout } = await run(["add", "notes", "--url", "https://example.com/mcp", "--header", header, ...options]);
    expect(JSON.parse(stdout)).toEqual({ file: `${folder}/mine.json`, server: "notes", result: "added" });
    expect(JSON.parse(read("mine.json"))).toEqual({
      servers: {
        notes: {
          transport: "sse",
          url: "https://example.com/mcp",
          headers: { Authorization: "Bearer ${secret:NOTES}" },
          mode: "strict",
          required: true,
        },
      },
    });
  });

  it.each([
    [["--env", "API_TOKEN=canary"], "env API_TOKEN", "N_API_TOKEN"],
    [["--arg", "--token=canary"], "argument 1", "N_TOKEN"],
  ])("refuses a secret on the command line: %j", async (options, place, name) => {
    const { code, stderr, stdout } = await run(["add", "n", "--command", "x", ...options]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toBe(`This looks like a secret on the command line, where other users can see it: ${place}
Store it with: tacklebox secret set ${name}
and write \${secret:${name}} in its place, or the name of a variable: \${${name}} (in single quotes).
Or pipe it in and write - in its place.
`);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("takes a secret that is piped in, and keeps it in the vault", async () => {
    const argv = ["add", "n", "--url", "https://example.com/mcp", "--header", "Authorization: Bearer -"];
    const { code, stdout } = await run(argv, "canary-piped\n");
    expect([code, stdout]).toEqual([
      0,
      `Added 'n' to ${folder}/tacklebox.yaml\nIts secret is in the vault as N_AUTHORIZATION\n`,
    ]);
    expect(read()).toContain("Authorization: Bearer ${secret:N_AUTHORIZATION}");
    expect((await run(["secret", "list", "--json"])).stdout).toContain('"N_AUTHORIZATION"');
    const again = await run([...argv.with(1, "m"), "--to", "other.yaml"], "another-one");
    expect(again.code).toBe(0);
    const taken = await run([...argv, "--to", "third.yaml"], "another");
    expect([taken.code, taken.stderr]).toEqual([
      2,
      "The vault already has a secret N_AUTHORIZATION. To use it, write ${secret:N_AUTHORIZATION} instead of -; to replace it: tacklebox secret set N_AUTHORIZATION\n",
    ]);
  });

  it.each([
    [["--command", "x", "--url", "https://e.com"], "error: name a program with --command, or an address with --url"],
    [[], "error: name a program with --command, or an address with --url"],
    [["--command", "x", "--env", "canary"], "Write an environment variable as --env NAME=value"],
    [["--url", "https://e.com", "--header", "canary"], "Write a header as --header 'Name: value'"],
    [["--command", "x", "--env", "A=-", "--env", "B=-"], "Only one value can come from stdin; write - once."],
  ])("says how to write an invalid option: %j", async (options, text) => {
    const { code, stderr } = await run(["add", "n", ...options]);
    expect(code).toBe(2);
    expect(stderr).toContain(text);
    expect(stderr).not.toContain("canary");
  });

  it("refuses a name that is taken", async () => {
    write("servers:\n  a:\n    command: x\n");
    const { code, stderr } = await run(["add", "a", "--command", "y"]);
    expect([code, stderr]).toEqual([
      2,
      `${folder}/tacklebox.yaml\nThere is already a server named "a". Remove it first: tacklebox remove a\n`,
    ]);
  });

  it("writes nothing that would be invalid", async () => {
    const before = "# mine\nservers:\n  a:\n    command: x\n";
    write(before);
    const { code, stderr } = await run(["add", "b", "--url", "ftp://example.com"]);
    expect(code).toBe(1);
    expect(stderr).toBe(
      `${folder}/tacklebox.yaml\nNothing was changed: the file would not be valid any more.\n\n${folder}/tacklebox.yaml:6:10\nThe url of MCP server 'b' must start with http:// or https://\n`,
    );
    expect(read()).toBe(before);
    expect(readdirSync(folder)).toEqual(["tacklebox.yaml"]);
  });

  it("accepts variables that are not set now", async () => {
    write("servers:\n  a:\n    url: ${NOT_SET}\n");
    expect((await run(["add", "b", "--command", "${ALSO_NOT_SET}"])).code).toBe(0);
  });

  it("says what is wrong with a broken file and leaves it alone", async () => {
    write("servers: [\n");
    const { code, stderr } = await run(["add", "b", "--command", "x"]);
    expect(code).toBe(1);
    expect(stderr).toContain(`${folder}/tacklebox.yaml:`);
    expect(read()).toBe("servers: [\n");
  });

  it("says why it cannot write", async () => {
    const { code, stderr } = await run(["add", "b", "--command", "x", "--to", "nowhere/t.yaml"]);
    expect([code, stderr]).toEqual([
      1,
      `${folder}/nowhere/t.yaml\nCannot write the config file: its folder does not exist. Nothing was changed.\n`,
    ]);
  });
});

describe("tacklebox remove, enable and disable", () => {
  const FILES: readonly (readonly [string, string, string, string, string])[] = [
    [
      "tacklebox.yaml",
      "# all\nservers:\n  a: # one\n    command: x # y\n  b: {command: z}\n",
      "# all\nservers:\n  a: # one\n    command: x # y\n    enabled: false\n  b: {command: z}\n",
      "# all\nservers:\n  a: # one\n    command: x # y\n    enabled: true\n  b: {command: z}\n",
      "# all\nservers:\n  b: {command: z}\n",
    ],
    [
      "gateway.yaml",
      "tools:\n  mcp_servers:\n    a:\n      command: x\n",
      "tools:\n  mcp_servers:\n    a:\n      command: x\n      enabled: false\n",
      "tools:\n  mcp_servers:\n    a:\n      command: x\n      enabled: true\n",
      "tools:\n  mcp_servers:\n",
    ],
    [
      "toolbox.yaml",
      "myai:\n  toolbox:\n    mcps:\n      - name: a\n        transport: sse\n        url: https://e.com\n        mode: strict\n    max_concurrent: 3 # few\n",
      "myai:\n  toolbox:\n    mcps:\n      - name: a\n        transport: sse\n        url: https://e.com\n        mode: strict\n        enabled: false\n    max_concurrent: 3 # few\n",
      "myai:\n  toolbox:\n    mcps:\n      - name: a\n        transport: sse\n        url: https://e.com\n        mode: strict\n        enabled: true\n    max_concurrent: 3 # few\n",
      "myai:\n  toolbox:\n    mcps:\n    max_concurrent: 3 # few\n",
    ],
    [
      "mcp.json",
      '{\n  // mine\n  "mcpServers": {\n    "a": { "command": "x" } // one\n  }\n}\n',
      '{\n  // mine\n  "mcpServers": {\n    "a": { "command": "x", "disabled": true } // one\n  }\n}\n',
      '{\n  // mine\n  "mcpServers": {\n    "a": { "command": "x", "disabled": false } // one\n  }\n}\n',
      '{\n  // mine\n  "mcpServers": {\n    // one\n  }\n}\n',
    ],
    [
      "vscode.json",
      '{ "inputs": [], "servers": { "a": { "type": "stdio", "command": "x" } } }',
      '{ "inputs": [], "servers": { "a": { "type": "stdio", "command": "x", "disabled": true } } }',
      '{ "inputs": [], "servers": { "a": { "type": "stdio", "command": "x", "disabled": false } } }',
      '{ "inputs": [], "servers": { } }',
    ],
    [
      "zed.json",
      '{ "context_servers": { "a": { "enabled": true, "command": "x" } } }',
      '{ "context_servers": { "a": { "enabled": false, "command": "x" } } }',
      '{ "context_servers": { "a": { "enabled": true, "command": "x" } } }',
      '{ "context_servers": { } }',
    ],
  ];

  it.each(FILES)("change that server and nothing else: %s", async (name, before, off, on, without) => {
    write(before, name);
    expect((await run(["disable", "a", "--config", name])).stdout).toBe(`Disabled 'a' in ${folder}/${name}\n`);
    expect(read(name)).toBe(off);
    expect((await run(["enable", "a", "--config", name])).stdout).toBe(`Enabled 'a' in ${folder}/${name}\n`);
    expect(read(name)).toBe(on);
    expect((await run(["enable", "a", "--config", name])).stdout).toBe(`'a' is already enabled in ${folder}/${name}\n`);
    expect((await run(["remove", "a", "--config", name])).stdout).toBe(`Removed 'a' from ${folder}/${name}\n`);
    expect(read(name)).toBe(without);
  });

  it("refuse an unknown server, naming the known ones", async () => {
    write("servers:\n  files:\n    command: x\n");
    for (const command of ["remove", "enable", "disable"]) {
      const { code, stderr } = await run([command, "file"]);
      expect([code, stderr]).toEqual([2, `${folder}/tacklebox.yaml\nNo server is named "file". Servers: files\n`]);
    }
  });

  it("refuse to remove a server that tools refer to", async () => {
    const before = "servers:\n  a:\n    command: x\ntoolbox:\n  tools:\n    - name: t\n      server: a\n";
    write(before);
    const { code, stderr } = await run(["remove", "a"]);
    expect(code).toBe(1);
    expect(stderr).toContain("Tool 't' is bound to server 'a', which is not configured.");
    expect(read()).toBe(before);
  });

  it("remove a server that keeps the file from loading", async () => {
    write("servers:\n  a:\n    command: x\n  b:\n    comand: y\n");
    expect((await run(["remove", "b"])).code).toBe(0);
    expect(read()).toBe("servers:\n  a:\n    command: x\n");
  });

  it("name the secrets that stay behind", async () => {
    write("servers:\n  a:\n    command: x\n    env: {T: '${secret:A_T}'}\n");
    expect((await run(["remove", "a"])).stdout).toBe(
      `Removed 'a' from ${folder}/tacklebox.yaml\nIts secrets are still in the vault. If nothing else needs them:\n  tacklebox secret remove A_T\n`,
    );
  });

  it("keep the file's mode, its byte order mark and the link to it", async () => {
    const target = write("\ufeffservers:\r\n  a:\r\n    command: x\r\n", "real.yaml");
    chmodSync(target, 0o640);
    symlinkSync(target, join(folder, "tacklebox.yaml"));
    expect((await run(["disable", "a"])).code).toBe(0);
    expect(lstatSync(join(folder, "tacklebox.yaml")).isSymbolicLink()).toBe(true);
    expect(statSync(target).mode & 0o777).toBe(0o640);
    expect(read("real.yaml")).toBe("\ufeffservers:\r\n  a:\r\n    command: x\r\n    enabled: false\r\n");
    expect(readdirSync(folder).sort()).toEqual(["real.yaml", "tacklebox.yaml"]);
  });

  it("ignore the lock of a killed process, and give way to another process that holds it", async () => {
    write("servers:\n  a:\n    command: x\n");
    const lock = join(folder, ".tacklebox.yaml.lock");
    mkdirSync(lock);
    const busy = await run(["disable", "a"]);
    expect([busy.code, busy.stderr]).toEqual([
      1,
      `${folder}/tacklebox.yaml\nNothing was changed: the file changed in the meantime. Try again.\n`,
    ]);
    utimesSync(lock, 1, 1);
    expect((await run(["disable", "a"])).code).toBe(0);
    expect(readdirSync(folder)).toEqual(["tacklebox.yaml"]);
  });

  it("say where they looked when there is no config", async () => {
    const { code, stderr } = await run(["remove", "a"]);
    expect(code).toBe(1);
    expect(stderr).toContain("No config file found. Looked at:\n");
    const named = await run(["enable", "a", "--config", "none.yaml"]);
    expect([named.code, named.stderr]).toEqual([1, `${folder}/none.yaml\nThere is no such config file.\n`]);
  });

  it("leave a file alone that cannot be changed safely", async () => {
    const before = "models: &m\n  a:\n    command: x\nservers: *m\n";
    write(before);
    const { code, stderr } = await run(["remove", "a"]);
    expect([code, stderr]).toEqual([
      1,
      `${folder}/tacklebox.yaml\nThe file is written in a way that cannot be changed safely from here. Change it in an editor.\n`,
    ]);
    expect(read()).toBe(before);
  });
});
