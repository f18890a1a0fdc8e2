import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { converse } from "../support/json-rpc.ts";
import { startProgram } from "../support/program.ts";
import { startOnTerminal } from "../support/terminal.ts";
import { parsed } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { openFoundFolder } from "./found-folder.ts";

async function openHostile() {
  const folder = await openFoundFolder();
  await folder.write({ servers: { evil: folder.traced("evil") } });
  return folder;
}

describe("F1: a config file that is found in the current folder", () => {
  it("F1: is refused where nobody can be asked, with the command that agrees, and counts after that", async () => {
    const { run, file, wasStarted } = await openHostile();
    const refused = await run(["tools"]);
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toBe(`${file}
This config file was found in the current folder, and you have not agreed to it. It could start programs and read your secrets, so none of it was used.
Read it, and if you agree to it, run: tacklebox allow ${file}
To continue without it: run this in another folder, or name another file with --config FILE.
`);
    expect(wasStarted("evil")).toBe(false);

    expect((await run(["allow"])).code).toBe(0);
    expect(wasStarted("evil")).toBe(false);
    expect((await run(["check"])).code).toBe(0);
    expect(wasStarted("evil")).toBe(true);
  });

  it("F1: is refused again after any change, even one that changes nothing it does", async () => {
    const { run, file, wasStarted } = await openHostile();
    await run(["allow"]);
    await writeFile(file, `${await readFile(file, "utf8")}# a comment\n`);
    const { code, stderr } = await run(["check"]);
    expect([code, wasStarted("evil")]).toEqual([1, false]);
    expect(stderr).toContain("has changed since you agreed to it.");
  });

  it("F1: on a terminal is shown whole, and asked about: Enter means no, yes means yes", async () => {
    const { cwd, env, wasStarted, run } = await openHostile();
    const declined = await startOnTerminal(["tools"], { cwd, env });
    await declined.sees("server evil", "command", "-c", "Type yes to agree: ");
    declined.type("\r");
    await declined.sees("You did not agree to this config file");
    expect((await declined.exit).code).toBe(1);
    expect(wasStarted("evil")).toBe(false);

    const agreed = await startOnTerminal(["tools"], { cwd, env });
    await agreed.sees("Type yes to agree: ");
    agreed.type("yes\r");
    await agreed.sees("rpc_error");
    expect((await agreed.exit).code).toBe(0);
    expect((await run(["tools"])).code).toBe(0);
  });

  it("F1: a chat asks before its prompt, and Ctrl-C leaves", async () => {
    const { cwd, env, wasStarted } = await openHostile();
    const left = await startOnTerminal(["chat"], { cwd, env });
    await left.sees("Type yes to agree: ");
    left.type("\u0003");
    expect((await left.exit).code).toBe(130);
    expect(wasStarted("evil")).toBe(false);

    const chat = await startOnTerminal(["chat"], { cwd, env });
    await chat.sees("Type yes to agree: ");
    chat.type("yes\r");
    await chat.sees("Type what you want done", "› ");
    chat.type("/quit\r");
    expect((await chat.exit).code).toBe(0);
  });

  it("F1: that was denied is refused without a question, until it is allowed", async () => {
    const { cwd, env, run } = await openHostile();
    await run(["allow"]);
    expect(parsed((await run(["deny", "--json"])).stdout)).toMatchObject({ result: "denied" });
    const denied = await startOnTerminal(["tools"], { cwd, env });
    await denied.sees("You denied this config file");
    expect((await denied.exit).code).toBe(1);
    expect(denied.sent()).not.toContain("Type yes");
    expect(parsed((await run(["allow", "--json"])).stdout)).toMatchObject({ result: "allowed" });
    expect((await run(["check"])).code).toBe(0);
  });

  it("F1: is denied by its folder, and before it is there", async () => {
    const { run, file, cwd } = await openHostile();
    for (const named of [".", cwd, file, "./tacklebox.yaml"]) {
      await run(["allow", named]);
      expect(parsed((await run(["deny", named, "--json"])).stdout)).toMatchObject({ file, result: "denied" });
      expect((await run(["check"])).stderr).toContain("You denied this config file");
    }
    const later = await openFoundFolder();
    expect((await later.run(["deny", "tacklebox.yaml"])).code).toBe(0);
    await later.write({ servers: {} });
    expect((await later.run(["check"])).stderr).toContain("You denied this config file");
  });

  it("F1: is not confused with a name that no command finds, which is neither agreed to nor denied", async () => {
    const { run, cwd, data } = await openHostile();
    await mkdir(join(cwd, "empty"));
    await writeFile(join(cwd, "other.yaml"), "servers: {}\n");
    for (const command of ["allow", "deny"]) {
      for (const named of ["taklebox.yaml", "other.yaml", "Tacklebox.yaml", "nowhere"]) {
        const { code, stdout, stderr } = await run([command, named]);
        expect([code, stdout]).toEqual([1, ""]);
        expect(stderr).toBe(
          `${join(cwd, named)}\nOnly tacklebox.yaml and tacklebox.json are used from a folder. A file named with --config needs no agreement.\n`,
        );
      }
      const empty = await run([command, "empty"]);
      expect([empty.code, empty.stdout]).toEqual([1, ""]);
      expect(empty.stderr).toContain("This folder has no tacklebox.yaml or tacklebox.json.");
    }
    expect(await readdir(data)).not.toContain("agreements");
  });

  it("F1: is not passed over in favour of the person's own config", async () => {
    const { run, env, wasStarted } = await openHostile();
    const own = join(env.HOME ?? "", ".config", "tacklebox");
    await mkdir(own, { recursive: true });
    await writeFile(join(own, "tacklebox.yaml"), "servers: {}\n");
    const { code, stderr } = await run(["check"]);
    expect([code, wasStarted("evil")]).toEqual([1, false]);
    expect(stderr).toContain("run this in another folder, or name another file with --config FILE.");
  });

  it("F1: needs no yes when the operator names it", async () => {
    const { run, file, cwd } = await openHostile();
    expect((await run(["check", "--config", "tacklebox.yaml"])).code).toBe(0);
    expect((await run(["check"], { TACKLEBOX_CONFIG: file })).code).toBe(0);
    expect((await run(["check"], { TACKLEBOX_CONFIG: file, TACKLEBOX_DATA: join(cwd, "data") })).code).toBe(0);
  });

  it("F1: counts only where it was agreed to: not through a link from another folder", async () => {
    const { run, file, env, wasStarted } = await openHostile();
    await run(["allow"]);
    const elsewhere = await openFoundFolder();
    await symlink(file, elsewhere.file);
    const { code, stderr } = await elsewhere.run(["check"], env);
    expect([code, wasStarted("evil")]).toEqual([1, false]);
    expect(stderr).toContain("you have not agreed to it");
    expect((await run(["check"])).code).toBe(0);
  });

  it("F1: is told by doctor, which reads nothing of it and goes on", async () => {
    const { run, wasStarted, file } = await openHostile();
    const { code, stdout } = await run(["doctor", "--json"], { OLLAMA_HOST: "127.0.0.1:9" });
    const { findings } = parsed(stdout);
    expect([code, wasStarted("evil")]).toEqual([1, false]);
    expect(findings).toContainEqual({
      about: "config",
      verdict: "problem",
      text: expect.stringContaining("you have not agreed to it"),
      next: `Read it, and if you agree to it, run: tacklebox allow ${file}`,
    });
    expect(findings).toContainEqual(expect.objectContaining({ about: "vault", verdict: "ok" }));
  });

  it("F1: does not decide how long calls are kept", async () => {
    const { run, write, traced } = await openHostile();
    await write({ servers: { mine: traced("mine") } });
    await run(["allow"]);
    for (const _ of [1, 2]) expect((await run(["call", "mine", "env"])).code).toBe(0);
    await write({ servers: {}, calls: { keep_at_most: 1 } });
    for (const line of ["calls", "sessions list", "grants list", "secret list", "doctor", "tools"]) {
      await run(line.split(" "), { OLLAMA_HOST: "127.0.0.1:9" });
    }
    expect(parsed((await run(["calls", "--json"])).stdout).calls).toHaveLength(2);
  });

  it("F1: is left out of an editor's session, which says so and names the command", async () => {
    const { cwd, env, file, wasStarted } = await openHostile();
    const editor = converse(await startProgram(["acp"], { cwd, env }));
    const clientCapabilities = { session: { notices: {} } };
    await editor.request("initialize", { protocolVersion: 1, clientCapabilities });
    const { result } = await editor.request("session/new", { cwd, mcpServers: [] });
    const { sessionId } = parsed(JSON.stringify(result));
    const notice = await editor.waitFor((message) => JSON.stringify(message).includes('"notice"'), "a notice");
    expect(JSON.stringify(notice)).toContain("The config file of this folder is not used");
    expect(JSON.stringify(notice)).toContain(`tacklebox allow ${file}`);
    await editor.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "/mcp" }] });
    const chunks = editor.received().filter((message) => JSON.stringify(message).includes("agent_message_chunk"));
    expect(JSON.stringify(chunks)).toContain(`tacklebox allow ${file}`);
    expect(wasStarted("evil")).toBe(false);
  });
});

describe("F1: what was agreed to", () => {
  it("F1: is renewed by our own edits of a file that was agreed to, and by those that make one", async () => {
    const { run, wasStarted, file } = await openHostile();
    await run(["allow"]);
    expect((await run(["disable", "evil"])).code).toBe(0);
    expect((await run(["add", "more", "--command", "true"])).code).toBe(0);
    expect((await run(["remove", "more"])).code).toBe(0);
    expect((await run(["check"])).code).toBe(0);
    expect(wasStarted("evil")).toBe(false);
    await rm(file);
    expect((await run(["add", "mine", "--url", "http://127.0.0.1:9/mcp"])).code).toBe(0);
    expect((await run(["model", "list"])).code).toBe(0);
  });

  it("F1: is not widened by an edit of a file that nobody agreed to", async () => {
    const { run, file, wasStarted } = await openHostile();
    const text = await readFile(file, "utf8");
    for (const line of ["add mine --command true", "remove evil", "disable evil", "enable evil"]) {
      const { code, stderr } = await run(line.split(" "));
      expect([line, code]).toEqual([line, 1]);
      expect(stderr).toContain(`tacklebox allow ${file}`);
    }
    expect(await readFile(file, "utf8")).toBe(text);
    // The operator may name the file, and edit it, without agreeing to it.
    expect((await run(["add", "mine", "--command", "true", "--to", "tacklebox.yaml"])).code).toBe(0);
    expect((await run(["check"])).code).toBe(1);
    expect(wasStarted("evil")).toBe(false);
  });

  it("F1: lies in files that only their owner may read, and nothing counts when one is damaged", async () => {
    const { run, data, wasStarted } = await openHostile();
    await run(["allow"]);
    const folder = join(data, "agreements");
    const [name = ""] = await readdir(folder);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    await writeFile(join(folder, name), '{"decision":"allowed"');
    const { code, stderr } = await run(["check"]);
    expect([code, wasStarted("evil")]).toEqual([1, false]);
    expect(stderr).toContain(`${join(folder, name)} is damaged, so no config file counts as agreed to.`);
    expect((await run(["allow"])).code).toBe(0);
    expect((await run(["check"])).code).toBe(0);
  });

  it("F1: does not count in a data folder that may have come with the repository, nor does a grant", async () => {
    const { run, cwd, wasStarted } = await openHostile();
    const data = join(cwd, "data");
    await run(["allow"], { TACKLEBOX_DATA: data });
    for (const line of ["check", "call evil env", "grants list", "calls", "secret list", "doctor", ""]) {
      const { code, stdout, stderr } = await run(line === "" ? [] : line.split(" "), { TACKLEBOX_DATA: "data" });
      expect([line, code, stdout, wasStarted("evil")]).toEqual([line, 1, "", false]);
      expect(stderr).toContain(`TACKLEBOX_DATA is 'data', a relative path`);
      expect(stderr).toContain(`TACKLEBOX_DATA=${data}\n`);
    }
    // The same folder as an absolute path is the operator's word.
    expect((await run(["check"], { TACKLEBOX_DATA: data })).code).toBe(0);
  });

  it.each(["", "."])(
    "F1: is not passed over by a folder that passes for the person's own when HOME is %j",
    async (HOME) => {
      const { run, file, cwd, wasStarted } = await openHostile();
      const own = join(cwd, ".config", "tacklebox");
      await mkdir(own, { recursive: true });
      await rename(file, join(own, "tacklebox.yaml"));
      const { code, stderr } = await run(["check"], { HOME });
      expect([code, wasStarted("evil")]).toEqual([1, false]);
      expect(stderr).toContain("Set HOME to the path of your home folder.");
    },
  );

  it("F1: is kept by every one of many processes that agree at the same time", async () => {
    const data = await temporaryFolder();
    const folders = await Promise.all([1, 2, 3, 4, 5, 6].map(() => openFoundFolder({ servers: {} })));
    await Promise.all(folders.map(({ run }) => run(["allow"], { TACKLEBOX_DATA: data })));
    for (const { run } of folders) expect((await run(["check"], { TACKLEBOX_DATA: data })).code).toBe(0);
  });
});
