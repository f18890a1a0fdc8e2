import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { until } from "../support/processes.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { everythingPath } from "../support/servers.ts";
import { startOnTerminal } from "../support/terminal.ts";
import { fixtureServer, nodeServer, parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder, writeConfig } from "../support/workspace.ts";

const nowhere = { OLLAMA_HOST: "127.0.0.1:9" };

const GROUPED = [
  "model list",
  "model test",
  "gpt list",
  "gpt show",
  "gpt add",
  "gpt remove",
  "sessions list",
  "sessions show",
  "sessions remove",
  "grants list",
  "grants revoke",
  "doctor",
];

const fields = (list: string) => list.split(" ").sort();
const keys = (value: unknown) => Object.keys(Object(value)).sort();

describe("help", () => {
  it.each(GROUPED)("%s --help has an example and the shape of its JSON, in lines that fit", async (command) => {
    const { code, stdout, stderr } = await runProgram([...command.split(" "), "--help"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(new RegExp(`^Example:\n  tacklebox ${command}\\b`, "m"));
    expect(stdout).toMatch(/^JSON:\n {2}\{ /m);
    expect(stdout.split("\n").filter((line) => line.length > 120)).toEqual([]);
  });
});

describe("help of a group", () => {
  it.each(["model", "gpt", "sessions", "grants", "secret"])(
    "%s --help has an example of each command",
    async (group) => {
      const { code, stdout } = await runProgram([group, "--help"]);
      expect(code).toBe(0);
      const [, list = ""] = /^Commands:\n((?: {2}.*\n?)*)/m.exec(stdout) ?? [];
      const names = [...list.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name).filter((name) => name !== "help");
      const [, examples = ""] = /^Examples:\n((?: {2}.*\n?)*)/m.exec(stdout) ?? [];
      expect(names.length).toBeGreaterThan(1);
      expect(examples.match(/^ {2}tacklebox \w+ \w+/gm)).toEqual(names.map((name) => `  tacklebox ${group} ${name}`));
      expect((await runProgram([group, "nonsense"])).stderr).toContain(`Try \`tacklebox ${group} --help\`.`);
    },
  );
});

describe("managing from the terminal", () => {
  it("prints exactly the documented fields with --json", async () => {
    const env = { ...nowhere, TACKLEBOX_DATA: await temporaryFolder() };
    const config = await toolboxFile({
      servers: { s: fixtureServer("collide", { NAME: "s", TOOLS: "a" }) },
      gpts: { g: { description: "d", instructions: "i", model: "demo", servers: ["s"] } },
    });
    const json = async (...args: string[]) =>
      parsed((await runProgram([...args, "--json", "--config", config], { env })).stdout);
    const first = (value: Record<string, unknown>, key: string): unknown => Object(value)[key][0];

    await runProgram(["run", "a", "--config", config], { env });
    expect(keys(first(await json("model", "list"), "models"))).toEqual(
      fields("name vendor model_id source default vision context_tokens"),
    );
    expect(keys(await json("model", "test"))).toEqual(fields("model ok duration_ms text"));
    expect(keys(await json("model", "test", "x"))).toEqual(fields("model ok duration_ms text message"));
    const gpt = fields("key name description instructions model servers tools approval trusted_tools source");
    expect(keys(first(await json("gpt", "list"), "gpts"))).toEqual(gpt);
    expect(keys(await json("gpt", "show", "g"))).toEqual(gpt);
    expect(keys(await json("gpt", "add", "h"))).toEqual(
      fields("key name instructions tools approval trusted_tools source"),
    );
    expect(keys(await json("gpt", "remove", "h"))).toEqual(fields("key removed"));

    const session = first(await json("sessions", "list"), "sessions");
    expect(keys(session)).toEqual(fields("id title model created_at updated_at"));
    const { id } = Object(session);
    const shown = await json("sessions", "show", String(id));
    expect(keys(shown)).toEqual(fields("session messages"));
    const messages: unknown[] = Object(shown).messages;
    expect(messages.map(keys)).toEqual([
      fields("number at role text"),
      fields("number at role text calls selection"),
      fields("number at role text results"),
      fields("number at role text"),
    ]);
    expect(keys(Object(messages[1]).calls[0])).toEqual(fields("call_id tool arguments"));
    expect(keys(Object(messages[2]).results[0])).toEqual(fields("call_id tool is_error text"));
    expect(keys(await json("sessions", "remove", String(id)))).toEqual(fields("id removed"));
    expect(keys(await json("grants", "list"))).toEqual(["grants"]);
    expect(keys(await json("grants", "revoke", "x"))).toEqual(fields("id revoked"));
    const doctor = await json("doctor");
    expect(keys(doctor)).toEqual(fields("ok findings"));
    expect(keys(first(doctor, "findings"))).toEqual(fields("about verdict text"));
  });

  it("starts no server for commands that need none", async () => {
    const folder = await temporaryFolder();
    const started = join(folder, "started");
    const config = await writeConfig(
      folder,
      "tacklebox.yaml",
      `servers:\n  s:\n    command: touch\n    args: ["${started}"]\n    required: true\n`,
    );
    for (const line of ["model list", "model test", "gpt list", "gpt add g", "sessions list", "grants list"]) {
      const { code } = await runProgram([...line.split(" "), "--config", config], { env: nowhere });
      expect([line, code]).toEqual([line, 0]);
    }
    expect(existsSync(started)).toBe(false);
    const { code } = await runProgram(["doctor", "--config", config], { env: nowhere });
    expect([code, existsSync(started)]).toEqual([1, true]);
  });

  it("follows the calls of another process until it is interrupted", async () => {
    const env = { TACKLEBOX_DATA: await temporaryFolder() };
    const config = await toolboxFile({ servers: { everything: nodeServer(everythingPath) } });
    const follower = await startProgram(["calls", "--follow"], { env });
    const args = ["call", "everything", "echo", "--args", '{"message":"x"}', "--config", config];
    expect((await runProgram(args, { env })).code).toBe(0);
    await follower.waitForStdout((line) => /everything +echo +success/.test(line));
    follower.kill("SIGINT");
    expect(await follower.exit).toMatchObject({ code: 130, stderr: "" });
  });

  it("makes bash complete commands, options and the values of options", async () => {
    const file = await writeConfig(
      await temporaryFolder(),
      "completion.bash",
      (await runProgram(["completion", "bash"])).stdout,
    );
    const bash = async (script: string) => (await promisify(execFile)("bash", ["--norc", "-c", script])).stdout.trim();
    await bash(`bash -n ${file}`);
    const complete = async (...words: string[]) => {
      const list = words.map((word) => `'${word}'`).join(" ");
      const script = `source ${file}; COMP_WORDS=(tacklebox ${list}); COMP_CWORD=${words.length}; _tacklebox; echo "\${COMPREPLY[@]}"`;
      return (await bash(script)).split(" ");
    };
    expect(await complete("doc")).toEqual(["doctor"]);
    expect(await complete("gpt", "")).toEqual(["list", "show", "add", "remove", "--help"]);
    expect(await complete("calls", "--fol")).toEqual(["--follow"]);
    expect(await complete("calls", "--json", "--status", "s")).toEqual(["success"]);
    expect(await complete("completion", "f")).toEqual(["fish"]);
    expect(await complete("check", "--config", "")).toEqual([""]);
  });

  it.each(["zsh", "fish"])("prints a script for %s that knows every command", async (shell) => {
    const { code, stdout } = await runProgram(["completion", shell]);
    expect(code).toBe(0);
    for (const command of GROUPED) expect(stdout).toContain(command.split(" ").at(-1));
    expect(stdout).toContain("pending running success error");
    const known = await promisify(execFile)("sh", ["-c", `command -v ${shell} || true`]);
    // If the shell is installed, it must be able to read the script.
    if (known.stdout.trim() === "") return;
    const file = await writeConfig(await temporaryFolder(), "completion", stdout);
    await promisify(execFile)(shell, ["-n", file]);
  });

  const has = (shell: string) => spawnSync(shell, ["--version"]).status === 0;

  it.skipIf(!has("zsh"))("makes zsh complete commands, options and the values of options", async () => {
    const file = await writeConfig(
      await temporaryFolder(),
      "completion.zsh",
      (await runProgram(["completion", "zsh"])).stdout,
    );
    const terminal = await startOnTerminal(["--version"], {
      afterwards: "zsh -f -i",
      columns: 120,
      env: { TERM: "dumb" },
    });
    terminal.type(`autoload -Uz compinit && compinit -u -D && source ${file} && PS1="rea""dy> "\r`);
    await terminal.sees("ready> ");
    for (const [typed, completed] of [
      ["doc", "doctor "],
      ["calls --fol", "calls --follow "],
      ["calls --json --status s", "calls --json --status success "],
      ["completion f", "completion fish "],
      ["gpt sh", "gpt show "],
    ]) {
      terminal.type(`tacklebox ${typed}\t`);
      await until(() => terminal.lines().at(-1) === `ready> tacklebox ${completed}`.trimEnd(), {
        describe: `${typed} to become ${completed}`,
      });
      // Ctrl-C discards the line.
      terminal.type("\u0003");
      await until(() => terminal.lines().at(-1) === "ready>", { describe: "an empty line" });
    }
    terminal.type("exit\r");
    expect((await terminal.exit).code).toBe(0);
  });

  it.skipIf(!has("fish"))("makes fish complete commands, options and the values of options", async () => {
    const { stdout } = await runProgram(["completion", "fish"]);
    const file = await writeConfig(await temporaryFolder(), "tacklebox.fish", stdout);
    const complete = async (line: string) => {
      const script = `source ${file}; complete -C '${line}'`;
      const env = { PATH: process.env.PATH ?? "", HOME: await temporaryFolder() };
      const { stdout: found } = await promisify(execFile)("fish", ["--no-config", "-c", script], { env });
      return found.split("\n").flatMap((one) => (one === "" ? [] : [one.split("\t", 1)[0]]));
    };
    expect(await complete("tacklebox doc")).toEqual(["doctor"]);
    expect(await complete("tacklebox gpt ")).toEqual(["add", "list", "remove", "show"]);
    expect(await complete("tacklebox calls --fol")).toEqual(["--follow"]);
    expect(await complete("tacklebox calls --json --status s")).toEqual(["success"]);
    expect(await complete("tacklebox gpt remove --trus")).toEqual([]);
  });

  it("refuses a shell it does not know", async () => {
    const { code, stderr } = await runProgram(["completion", "tcsh"]);
    expect(code).toBe(2);
    expect(stderr).toContain("Allowed choices are bash, zsh, fish.");
  });
});
