import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { until } from "../support/processes.ts";
import { builtProgram, runProgram } from "../support/program.ts";
import { startOnTerminal } from "../support/terminal.ts";
import { fixtureServer } from "../support/toolbox-file.ts";
import { temporaryFolder, writeConfig } from "../support/workspace.ts";

const has = (shell: string) => spawnSync(shell, ["--version"]).status === 0;

/** Names that a careless script would run, split, or take for something else. */
const HOSTILE = [
  "evil$(touch pwned)",
  "evil`touch pwned`",
  "evil;touch pwned",
  "evil 'quoted\" \\ words",
  "evil&|<>*?~#!",
];
const UNUSABLE = ["--config=evil.yaml", "evil\ntouch pwned", "evil\u001b]0;owned\u0007", "evil\u202ename", "evil\ttab"];

/** A person with these servers, a shell that finds `tacklebox`, and its completion script. */
async function withShell(servers: Readonly<Record<string, object>>) {
  const home = await temporaryFolder();
  const cwd = join(home, "work");
  const bin = join(home, "bin");
  for (const folder of [cwd, bin, join(home, ".config/tacklebox")]) await mkdir(folder, { recursive: true });
  await writeConfig(join(home, ".config/tacklebox"), "tacklebox.yaml", stringify({ servers }));
  const shim = await writeConfig(bin, "tacklebox", `#!/bin/sh\nexec '${process.execPath}' '${builtProgram}' "$@"\n`);
  await chmod(shim, 0o755);
  const env = { HOME: home, PATH: `${bin}:${process.env.PATH ?? ""}`, TACKLEBOX_DATA: join(home, "data") };
  const run = (...args: readonly string[]) => runProgram(args, { cwd, env });
  const words = async (...typed: readonly string[]) => {
    const { code, stdout, stderr } = await run("__complete", "zsh", ...typed);
    expect([code, stderr]).toEqual([0, ""]);
    return stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t", 1)[0] ?? ""]));
  };
  const script = async (shell: string) =>
    writeConfig(home, `completion.${shell}`, (await run("completion", shell)).stdout);
  return { home, cwd, env, run, words, script };
}

function collide(tools: string) {
  return fixtureServer("collide", { NAME: "s", TOOLS: tools });
}

describe("the names that shells complete", () => {
  it("are those of servers, tools, conversations, calls, GPTs, models, secrets and grants", async () => {
    const { run, words, env, cwd } = await withShell({
      one: collide("a,b"),
      "two words": { ...collide("c"), enabled: false },
    });
    expect(await words("call", "")).toEqual(["one", "two words"]);
    // Nothing is known of their tools before they were used.
    expect(await words("call", "one", "")).toEqual([]);
    expect((await run("check")).code).toBe(0);
    for (const typed of [
      ["call", "one", ""],
      ["why", ""],
      ["trust", "one", ""],
      ["calls", "--tool", ""],
    ])
      expect(await words(...typed)).toEqual(["a", "b"]);
    expect(await words("run", "x", "--tool", "")).toEqual(["one:a", "one:b"]);
    expect(await words("tools", "--server", "")).toEqual(["one", "two words"]);

    await run("gpt", "add", "reader");
    await runProgram(["secret", "set", "NOTES_KEY"], { cwd, env, stdin: "a-long-enough-value" });
    await run("run", "a=1", "--model", "demo");
    expect(await words("gpt", "show", "")).toEqual(["reader"]);
    expect(await words("chat", "--gpt", "")).toEqual(["reader"]);
    expect(await words("secret", "remove", "")).toEqual(["NOTES_KEY"]);
    expect(await words("model", "test", "")).toContain("demo");
    const { sessions } = JSON.parse((await run("sessions", "list", "--json")).stdout);
    expect(await words("chat", "--session", "")).toEqual([sessions[0].id]);
    await run("call", "one", "a");
    const { calls } = JSON.parse((await run("calls", "--json")).stdout);
    expect(await words("calls", "")).toEqual(calls.map(({ id }: { readonly id: string }) => id));
  });

  it("need no data and no config, create nothing, and leave options to the script", async () => {
    const home = await temporaryFolder();
    const options = { cwd: home, env: { HOME: home, TACKLEBOX_DATA: join(home, "data") } };
    for (const typed of [["call", ""], ["why", ""], ["chat", "--session", ""], ["call", "--js"], ["nothing", ""], []])
      expect(await runProgram(["__complete", "bash", ...typed], options)).toMatchObject({
        code: 0,
        stdout: "",
        stderr: "",
      });
    expect(await readdir(home)).toEqual([]);
  });

  it("never come from a config file that nobody agreed to, and a broken one is not complained about", async () => {
    const { cwd, words, run } = await withShell({ own: collide("a") });
    await writeConfig(cwd, "tacklebox.yaml", "servers: { evil: { command: touch, args: [pwned] } }\n");
    expect(await words("call", "")).toEqual([]);
    await run("allow");
    expect(await words("call", "")).toEqual(["evil"]);
    expect(await words("call", "evil", "")).toEqual([]);
    const broken = await writeConfig(cwd, "broken.yaml", "servers: [\n");
    expect(await words("call", "--config", broken, "")).toEqual([]);
    expect(await words("call", "--config", join(cwd, "nowhere.yaml"), "")).toEqual([]);
    expect(existsSync(join(cwd, "pwned"))).toBe(false);
  });

  it("leave out what no quoting makes harmless", async () => {
    const tools = [...HOSTILE, ...UNUSABLE].map((name) => ({ name, inputSchema: { type: "object" } }));
    const file = await writeConfig(await temporaryFolder(), "tools.json", JSON.stringify(tools));
    const { run, words } = await withShell({ s: fixtureServer("shifty", { SHIFTY_FILE: file }) });
    expect((await run("check")).stdout).toContain("Ready. ");
    expect((await words("call", "s", "")).toSorted()).toEqual(HOSTILE.toSorted());
  });
});

describe("hostile names in a shell", () => {
  it("bash inserts them quoted, and never runs them", async () => {
    const { cwd, env, script } = await withShell(Object.fromEntries(HOSTILE.map((name) => [name, collide("a")])));
    const file = await script("bash");
    const complete = async (...typed: string[]) => {
      const list = typed.map((word) => `'${word}'`).join(" ");
      const line = `source ${file}; COMP_WORDS=(tacklebox ${list}); COMP_CWORD=${typed.length}; _tacklebox; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout } = await promisify(execFile)("bash", ["--norc", "-c", line], { cwd, env });
      return stdout.split("\n").filter((one) => one !== "");
    };
    const inserted = await complete("call", "evil");
    expect(inserted).toHaveLength(HOSTILE.length);
    // What a shell reads there is the name, and nothing else.
    for (const [index, word] of inserted.entries()) {
      const { stdout } = await promisify(execFile)("bash", ["--norc", "-c", `printf %s ${word}`], { cwd, env });
      expect(stdout).toBe(HOSTILE[index]);
    }
    expect(await complete("call", '"evil')).toEqual([]);
    expect(await readdir(cwd)).toEqual([]);
  });

  it("bash completes what follows a colon or an equals sign", async () => {
    const { cwd, env, script, run } = await withShell({ one: collide("a,b") });
    await run("check");
    const file = await script("bash");
    const complete = async (typed: string, index: number) => {
      const line = `source ${file}; COMP_WORDS=(tacklebox ${typed}); COMP_CWORD=${index}; _tacklebox; echo "\${COMPREPLY[@]}"`;
      return (await promisify(execFile)("bash", ["--norc", "-c", line], { cwd, env })).stdout;
    };
    expect(await complete("run x --tool one : a", 6)).toBe("a\n");
    expect(await complete("run x --tool one :", 5)).toBe("a b\n");
    expect(await complete("tools --server = o", 4)).toBe("one\n");
    expect(await complete("calls --status = ru", 4)).toBe("running\n");
  });

  it("a person at bash presses Tab and Enter, and nothing is run but tacklebox", async () => {
    const { cwd, env, script } = await withShell({ [HOSTILE[0] ?? ""]: collide("a") });
    const file = await script("bash");
    const options = { cwd, env: { ...env, TERM: "dumb" }, columns: 120, afterwards: "bash --norc -i" };
    const terminal = await startOnTerminal(["--version"], options);
    terminal.type(`source ${file}; PS1="rea""dy> "\r`);
    await terminal.sees("ready> ");
    terminal.type("tacklebox enable ev\t");
    await until(() => terminal.lines().at(-1) === String.raw`ready> tacklebox enable evil\$\(touch\ pwned\)`, {
      describe: "the quoted name",
    });
    terminal.type("\r");
    await terminal.sees("'evil$(touch pwned)' is already enabled", "ready> ");
    terminal.type("exit\r");
    await terminal.exit;
    expect(await readdir(cwd)).toEqual([]);
  });

  it.skipIf(!has("zsh"))("zsh inserts them quoted, and never runs them", async () => {
    const { cwd, env, script } = await withShell({ [HOSTILE[0] ?? ""]: collide("a"), "two words": collide("b") });
    const file = await script("zsh");
    const options = { cwd, env: { ...env, TERM: "dumb" }, columns: 120, afterwards: "zsh -f -i" };
    const terminal = await startOnTerminal(["--version"], options);
    terminal.type(`autoload -Uz compinit && compinit -u -D && source ${file} && PS1="rea""dy> "\r`);
    await terminal.sees("ready> ");
    for (const [typed, shown] of [
      ["ev", String.raw`evil\$\(touch\ pwned\)`],
      ["two", String.raw`two\ words`],
    ]) {
      terminal.type(`tacklebox enable ${typed}\t`);
      await until(() => terminal.lines().at(-1) === `ready> tacklebox enable ${shown}`, {
        describe: "the quoted name",
      });
      terminal.type("\r");
      await terminal.sees("is already enabled", "ready> ");
    }
    terminal.type("exit\r");
    await terminal.exit;
    expect(await readdir(cwd)).toEqual([]);
  });

  it.skipIf(!has("fish"))("fish gets them as text, and never runs them", async () => {
    const { cwd, env, script } = await withShell(Object.fromEntries(HOSTILE.map((name) => [name, collide("a")])));
    const file = await script("fish");
    const line = `source ${file}; complete -C 'tacklebox enable ev'`;
    const { stdout } = await promisify(execFile)("fish", ["--no-config", "-c", line], { cwd, env });
    expect(stdout.split("\n").filter((one) => one !== "")).toEqual(expect.arrayContaining(["evil$(touch pwned)"]));
    expect(await readdir(cwd)).toEqual([]);
  });
});
