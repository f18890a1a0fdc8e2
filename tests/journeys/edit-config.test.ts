import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { runProgram } from "../support/program.ts";
import { fixtureServer, parsed } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

async function openFolder() {
  const cwd = await temporaryFolder();
  const env = {
    TACKLEBOX_DATA: join(cwd, "data"),
    TACKLEBOX_VAULT_KEY: "mU0zqvBk3l2Q8d1m0nJkq7oY5cWb9pXeR4tGhVfZsLA=",
  };
  const file = join(cwd, "tacklebox.yaml");
  return {
    file,
    read: () => readFile(file, "utf8"),
    run: (args: readonly string[], stdin?: string) =>
      runProgram(args, { cwd, env, ...(stdin === undefined ? {} : { stdin }) }),
  };
}

describe("changing the config from the command line, through the built program", () => {
  it("adds a server that can be called, disables and enables it, and removes it", async () => {
    const { run, read, file } = await openFolder();
    const odd = fixtureServer("odd");
    const args = odd.args.flatMap((argument) => ["--arg", argument]);
    expect(
      await run(["add", "odd", "--command", odd.command, ...args, "--env", "GREETING_TOKEN=-"], "hush-hush\n"),
    ).toMatchObject({
      code: 0,
      stdout: `Added 'odd' to ${file}\nIts secret is in the vault as ODD_GREETING_TOKEN\n`,
      stderr: "",
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await read()).toContain("GREETING_TOKEN: ${secret:ODD_GREETING_TOKEN}\n");
    const { stdout } = await run(["call", "odd", "env", "--json"]);
    expect(parsed(stdout).text).toContain('"GREETING_TOKEN":"[redacted]"');

    expect(await run(["disable", "odd"])).toMatchObject({ code: 0, stdout: `Disabled 'odd' in ${file}\n` });
    expect(parsed((await run(["servers", "--json"])).stdout).servers).toMatchObject([{ status: "disabled" }]);
    expect(await run(["enable", "odd"])).toMatchObject({ code: 0, stdout: `Enabled 'odd' in ${file}\n` });
    expect(parsed((await run(["servers", "--json"])).stdout).servers).toMatchObject([{ status: "connected" }]);
    expect(await run(["remove", "odd"])).toMatchObject({ code: 0 });
    expect(await read()).toBe("servers:\n");
  });

  it("leaves every line it was not asked to change as it was", async () => {
    const { run, read, file } = await openFolder();
    const text = `# mine\t \nservers:   # all\n  a:\n    command:   x   # why\n\n    args: [ "1",  '2' ]\n  # about b\n  b: { command: y }   # inline\n\ntoolbox:\n    max_concurrent: 3\n`;
    await writeFile(file, text);
    await run(["allow"]);
    await run(["disable", "a"]);
    await run(["add", "c", "--url", "https://example.com/mcp"]);
    const added = ["    enabled: false", "  c:", "    url: https://example.com/mcp"];
    const lines = (await read()).split("\n");
    expect(lines.filter((line) => !added.includes(line))).toEqual(text.split("\n"));
    expect(lines).toEqual(expect.arrayContaining(added));
    await run(["remove", "c"]);
    expect(await read()).toBe(text.replace("'2' ]\n", "'2' ]\n    enabled: false\n"));
  });

  it("keeps a secret on the command line out of everything", async () => {
    const { run, file } = await openFolder();
    const exit = await run([
      "add",
      "n",
      "--url",
      "https://example.com/mcp?api_key=canary",
      "--header",
      "X-Api-Key: canary",
    ]);
    expect(exit).toMatchObject({ code: 2, stdout: "" });
    expect(exit.stderr).toContain("where other users can see it: url query api_key, header X-Api-Key\n");
    expect(exit.stderr).not.toContain("canary");
    await expect(stat(file)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("loses nothing when several programs change the file at the same time", async () => {
    const { run, read, file } = await openFolder();
    await run(["add", "first", "--command", "x"]);
    const names = ["a", "b", "c", "d", "e", "f"];
    const exits = await Promise.all(names.map((name) => run(["add", name, "--command", "x"])));
    const text = await read();
    const added = names.filter((name) => text.includes(`\n  ${name}:\n    command: x\n`));
    expect(text.startsWith("servers:\n  first:\n    command: x\n")).toBe(true);
    expect(added).toEqual(names.filter((_name, index) => exits[index]?.code === 0));
    for (const { code, stderr } of exits) if (code !== 0) expect(stderr).toContain("the file changed in the meantime");
    expect(await readdir(dirname(file))).toEqual(["data", "tacklebox.yaml"]);
  });
});
