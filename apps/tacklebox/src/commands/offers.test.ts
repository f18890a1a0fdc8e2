import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Engine, ResourceContent, ServerOffers } from "@tacklebox/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Io } from "../io.ts";
import { runProgram } from "../program.ts";
import { createMemoryIo } from "../testing/memory-io.ts";
import { operatorEnv } from "../testing/operator-env.ts";
import { createScriptedEngine, type EngineScript, serverView } from "../testing/scripted-engine.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tacklebox-offers-"));
  writeFileSync(join(folder, "tacklebox.yaml"), "servers:\n  files:\n    command: files-server\n");
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(argv: readonly string[], script: EngineScript["servers"] = {}, overrides: Partial<Io> = {}) {
  const io = createMemoryIo({ cwd: folder, env: operatorEnv(folder, { TACKLEBOX_DATA: folder }), ...overrides });
  const { open } = createScriptedEngine({ servers: { list: async () => [serverView()], ...script } });
  const code = await runProgram(argv, io, open);
  return { code, stdout: io.stdout.text(), stderr: io.stderr.text(), bytes: io.stdout.bytes() };
}

const offers: ServerOffers = {
  server: "files",
  resources: [{ uri: "file:///a", name: "a\u001b[2J", description: "An A", mimeType: "text/plain", raw: {} }],
  templates: [{ uriTemplate: "file:///{x}", name: "any", raw: {} }],
  prompts: [
    {
      name: "standup",
      description: "What to say",
      arguments: [
        { name: "day", description: "which", required: true },
        { name: "team", required: false },
      ],
      raw: {},
    },
  ],
};
const failure = { code: "interrupted", message: "Server 'files': the stream broke" } as const;
const nothing: ServerOffers = { server: "files", resources: [], templates: [], prompts: [] };
const list = (...all: ServerOffers[]): EngineScript["servers"] => ({ offers: async () => all });

describe("every command about offers", () => {
  it.each([["resources"], ["read"], ["prompts"]])("documents its example and its JSON: %s", async (command) => {
    const { code, stdout } = await run([command, "--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain(`Example:\n  tacklebox ${command}`);
    expect(stdout).toContain("JSON:\n  {");
  });

  it.each([
    [["resources", "--server", "nobody"]],
    [["read", "nobody", "file:///a"]],
    [["prompts", "--server", "nobody"]],
    [["prompts", "nobody", "standup"]],
  ])("exits 2 on an unknown server: %j", async (argv) => {
    const { code, stderr } = await run(argv);
    expect(code).toBe(2);
    expect(stderr).toContain('No server is named "nobody". Servers: files');
  });

  it.each([
    [["resources"], list({ ...nothing, failure })],
    [["prompts"], list({ ...nothing, failure })],
    [["read", "files", "file:///a"], { readResource: async () => ({ kind: "failed", failure }) as const }],
    [["prompts", "files", "standup"], { getPrompt: async () => ({ kind: "failed", failure }) as const }],
  ])("exits 3 and says why when the server fails: %j", async (argv, script) => {
    const { code, stderr } = await run(argv, script);
    expect([code, stderr]).toEqual([3, "Server 'files': the stream broke\n"]);
    const asJson = await run([...argv, "--json"], script);
    expect([asJson.code, asJson.stderr]).toEqual([3, ""]);
    expect(asJson.stdout).toContain(`"error":"Server 'files': the stream broke"`);
    if (argv.length === 3) expect(asJson.stdout).toContain('"ending":"interrupted"');
  });

  it.each([
    [["resources"], "No server offers resources.\n"],
    [["prompts"], "No server offers prompts.\n"],
  ])("T1.4 says that there is nothing, without an error: %j", async (argv, stdout) => {
    expect(await run(argv, list(nothing))).toMatchObject({ code: 0, stdout, stderr: "" });
  });

  it.each([
    [
      ["prompts", "files", "--arg", "a=b"],
      "error: --arg needs a prompt. To list those of files: tacklebox prompts files\n",
    ],
    [["prompts", "--arg", "a=b"], "error: --arg needs a server and a prompt\n"],
    [["prompts", "files", "p", "--server", "x"], "error: name the server once, as an argument or with --server\n"],
    [
      ["prompts", "files", "p", "--arg", "nonsense"],
      "error: option '--arg <name=value>' argument 'nonsense' is invalid. It must look like name=value.\n",
    ],
  ])("exits 2 and says what is wrong with %j", async (argv, stderr) => {
    expect(await run(argv)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: `${stderr}Try \`tacklebox prompts --help\`.\n`,
    });
  });
});

describe("resources", () => {
  it("T18 shows a table without deceptive characters", async () => {
    const { code, stdout } = await run(["resources"], list(offers));
    expect([code, stdout]).toEqual([
      0,
      "SERVER  URI          TYPE        NAME\n" +
        "files   file:///a    text/plain  a\\x1b[2J\n" +
        "files   file:///{x}              any\n",
    ]);
  });

  it("S1.9 reports as JSON", async () => {
    const { stdout } = await run(["resources", "--json"], list(offers));
    expect(JSON.parse(stdout)).toEqual({
      servers: [
        {
          server: "files",
          resources: [{ uri: "file:///a", name: "a\u001b[2J", description: "An A", mime_type: "text/plain" }],
          templates: [{ uri_template: "file:///{x}", name: "any" }],
        },
      ],
    });
  });
});

describe("read", () => {
  const text: ResourceContent = { kind: "text", uri: "file:///a", mimeType: "text/plain", text: "one\u001b[2J" };
  const bytes: ResourceContent = { kind: "bytes", uri: "file:///b", base64: "AP+A" };
  const give = (...contents: ResourceContent[]): EngineScript["servers"] => ({
    readResource: async () => ({ kind: "ok", value: contents }),
  });

  it("S1.19 gives a program exactly what the server sent", async () => {
    expect((await run(["read", "files", "file:///a"], give(text))).stdout).toBe("one\u001b[2J");
    const read = await run(["read", "files", "file:///b"], give(bytes));
    expect([read.code, [...read.bytes]]).toEqual([0, [0, 255, 128]]);
  });

  it("T18 gives a person text without deceptive characters", async () => {
    const { stdout } = await run(["read", "files", "file:///a"], give(text), { stdoutIsTerminal: true });
    expect(stdout).toBe("one\\x1b[2J\n");
  });

  it("does not write bytes to a terminal, and says what to do", async () => {
    const read = await run(["read", "files", "file:///b"], give(text, bytes), { stdoutIsTerminal: true });
    expect(read).toMatchObject({
      code: 2,
      stdout: "",
      stderr: "file:///b is not text. Write it to a file: tacklebox read files 'file:///b' > FILE, or use --json\n",
    });
  });

  it("reports as JSON, bytes in base64", async () => {
    const { stdout } = await run(["read", "files", "file:///a", "--json"], give(text, bytes));
    expect(JSON.parse(stdout)).toEqual({
      server: "files",
      uri: "file:///a",
      contents: [
        { uri: "file:///a", mime_type: "text/plain", text: "one\u001b[2J" },
        { uri: "file:///b", base64: "AP+A" },
      ],
    });
  });
});

describe("prompts", () => {
  it("S1.10 shows a table, optional arguments with a question mark", async () => {
    const { code, stdout } = await run(["prompts"], list(offers));
    expect([code, stdout]).toEqual([
      0,
      "SERVER  PROMPT   ARGUMENTS   DESCRIPTION\nfiles   standup  day, team?  What to say\n",
    ]);
    const { stdout: json } = await run(["prompts", "--json"], list(offers));
    expect(JSON.parse(json)).toEqual({
      servers: [
        {
          server: "files",
          prompts: [{ name: "standup", description: "What to say", arguments: offers.prompts[0]?.arguments }],
        },
      ],
    });
  });

  it("fills one in with the arguments given", async () => {
    const seen: unknown[] = [];
    const messages = [
      { role: "user", content: { type: "text", text: "Yesterday I" } },
      { role: "assistant", content: { type: "image", data: "AA==", mimeType: "image/png" } },
      { role: "user", content: { type: "resource", resource: { uri: "file:///a", text: "notes" } } },
    ];
    const getPrompt: Engine["servers"]["getPrompt"] = async (server, name, args) => {
      seen.push([server, name, args]);
      return { kind: "ok", value: { description: "D", messages } };
    };
    const argv = ["prompts", "files", "standup", "--arg", "day=monday", "--arg", "team=a=b"];
    const { code, stdout } = await run(argv, { getPrompt });
    expect([code, stdout]).toEqual([0, "user:\nYesterday I\n\nassistant:\n[image]\n\nuser:\nnotes\n"]);
    expect(seen).toEqual([["files", "standup", { day: "monday", team: "a=b" }]]);
    expect(JSON.parse((await run([...argv, "--json"], { getPrompt })).stdout)).toEqual({
      server: "files",
      prompt: "standup",
      description: "D",
      messages,
    });
  });
});
