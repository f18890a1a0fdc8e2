import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { Grant, Message, Session, Store } from "@tacklebox/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../open-store.ts";
import { runProgram } from "../program.ts";
import { createMemoryIo } from "../testing/memory-io.ts";
import { operatorEnv } from "../testing/operator-env.ts";
import { createScriptedEngine } from "../testing/scripted-engine.ts";
import { scriptedRuns } from "../testing/scripted-runs.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tacklebox-manage-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Nothing listens at that address, so that no local Ollama is found. */
const env = () => operatorEnv(folder, { TACKLEBOX_DATA: join(folder, "data"), OLLAMA_HOST: "127.0.0.1:9" });

async function run(argv: readonly string[], engine?: ReturnType<typeof createScriptedEngine>, stdin = "") {
  const io = createMemoryIo({
    cwd: folder,
    home: folder,
    env: env(),
    stdin: Readable.from(stdin === "" ? [] : [stdin]),
  });
  const code = await runProgram(argv, io, engine?.open);
  return { code, stdout: io.stdout.text(), stderr: io.stderr.text() };
}

async function fillStore(fill: (store: Store) => Promise<void>): Promise<void> {
  const opened = await openStore(join(folder, "data"));
  if (opened.kind === "refused") throw new Error(opened.message);
  await fill(opened.store);
  await opened.store.close();
}

const SESSION: Session = {
  id: "s1",
  title: "What is \u001b[31mthis?",
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-02T00:00:00.000Z",
  model: "demo",
};

const MESSAGES: readonly Message[] = [
  { role: "user", parts: [{ type: "text", text: "What is this?\nSay it." }] },
  {
    role: "assistant",
    parts: [
      { type: "text", text: "I look." },
      { type: "call", id: "1", tool: "echo", arguments: { message: "x" }, callId: "c1" },
    ],
  },
  { role: "tool", results: [{ id: "1", tool: "echo", text: "\u001b[2Jx", isError: false, callId: "c1" }] },
  { role: "assistant", parts: [{ type: "text", text: "It is x." }] },
];

function saveSession(): Promise<void> {
  return fillStore(async ({ sessions }) => {
    await sessions.save(SESSION);
    await sessions.append(
      MESSAGES.map((message, index) => ({ sessionId: "s1", number: index + 1, at: SESSION.updatedAt, message })),
    );
  });
}

const GRANT: Grant = {
  id: "g1",
  verdict: "allow",
  scope: "agent",
  server: "files",
  tool: "write",
  fingerprint: "f",
  definition: {},
  createdAt: "2026-01-01T00:00:00.000Z",
};

describe("tacklebox sessions", () => {
  it("says that there are none, without creating anything", async () => {
    expect(await run(["sessions", "list"])).toEqual({
      code: 0,
      stdout: 'No sessions yet. `tacklebox chat` or `tacklebox run "PROMPT"` begins one.\n',
      stderr: "",
    });
    expect(existsSync(join(folder, "data"))).toBe(false);
  });

  it("T18 lists and shows a conversation, with nothing in it that a terminal interprets", async () => {
    await saveSession();
    expect((await run(["sessions", "list"])).stdout).toBe(
      "ID  USED                      MODEL  GPT  TITLE\n" +
        "s1  2026-01-02T00:00:00.000Z  demo   -    What is \\x1b[31mthis?\n",
    );
    expect((await run(["sessions", "show", "s1"])).stdout).toBe(`What is \\x1b[31mthis?
session s1, model demo, GPT -, last used 2026-01-02T00:00:00.000Z

> What is this?
> Say it.

I look.
    echo {"message":"x"}

    echo answered:
    \\x1b[2Jx

It is x.
`);
  });

  it("removes one, and says so when there is no such session", async () => {
    await saveSession();
    expect(await run(["sessions", "remove", "s1"])).toMatchObject({
      code: 0,
      stdout: "Removed session s1 and what was allowed in it.\n",
    });
    const unknown = "There is no session 's1'. `tacklebox sessions list` shows them all.\n";
    for (const command of ["show", "remove"])
      expect(await run(["sessions", command, "s1"])).toEqual({ code: 2, stdout: "", stderr: unknown });
    expect((await run(["sessions", "remove", "s1", "--json"])).stdout).toBe('{"id":"s1","removed":false}\n');
  });
});

describe("stored data", () => {
  it.each([
    ["calls", "No calls are recorded yet."],
    ["sessions list", "No sessions yet."],
    ["grants list", "No grants yet."],
    ["secret list", "No secrets are stored yet."],
  ])(
    "is shown in spite of a broken config, and nothing is created where nothing was stored: %s",
    async (command, text) => {
      writeFileSync(join(folder, "tacklebox.yaml"), "servers: [");
      const { code, stdout, stderr } = await run(command.split(" "));
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toContain(text);
      expect(existsSync(join(folder, "data"))).toBe(false);
    },
  );

  it.each([["calls"], ["sessions list"], ["grants list"], ["secret list"], ["secret rotate"]])(
    "that cannot be opened is reported: %s",
    async (command) => {
      mkdirSync(join(folder, "data"));
      writeFileSync(join(folder, "data", "tacklebox.db"), "this is no database, and much too long to be an empty one");
      const { code, stdout, stderr } = await run(command.split(" "));
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toContain(join(folder, "data"));
      expect(stderr).toContain("TACKLEBOX_DATA names another.");
    },
  );
});

describe("tacklebox secret", () => {
  const KEY = "mU0zqvBk3l2Q8d1m0nJkq7oY5cWb9pXeR4tGhVfZsLA=";
  const withKey = async (argv: readonly string[], stdin = "", key = KEY) => {
    const io = createMemoryIo({
      ...{ cwd: folder, home: folder, env: { ...env(), TACKLEBOX_VAULT_KEY: key } },
      stdin: Readable.from(stdin === "" ? [] : [stdin]),
    });
    const code = await runProgram(["secret", ...argv], io);
    return { code, stdout: io.stdout.text(), stderr: io.stderr.text() };
  };

  it("stores, replaces, lists and removes, in spite of a broken config", async () => {
    writeFileSync(join(folder, "tacklebox.yaml"), "servers: [");
    const used = "Use it in a config file as ${secret:TOKEN}\n";
    expect(await withKey(["set", "TOKEN"], "v1-canary")).toEqual({
      code: 0,
      stdout: `Stored TOKEN. ${used}`,
      stderr: "",
    });
    expect((await withKey(["set", "TOKEN"], "v2-canary")).stdout).toBe(`Replaced TOKEN. ${used}`);
    expect((await withKey(["list"])).stdout).toMatch(/^NAME +UPDATED\nTOKEN +\S+\n$/);
    expect(await withKey(["remove", "TOKEN"])).toEqual({ code: 0, stdout: "Removed secret 'TOKEN'.\n", stderr: "" });
    expect(await withKey(["remove", "TOKEN"])).toEqual({
      code: 2,
      stdout: "",
      stderr: "There is no secret 'TOKEN'. To see all: tacklebox secret list\n",
    });
  });

  it("exits 2 for an invalid name, and 1 when the key is a different one", async () => {
    const wrongName = await withKey(["remove", "not a name"]);
    expect([wrongName.code, wrongName.stdout]).toEqual([2, ""]);
    expect(wrongName.stderr).not.toBe("");
    await withKey(["set", "TOKEN"], "v1-canary");
    const wrongKey = await withKey(["set", "OTHER"], "v2-canary", KEY.replace("mU0", "nU0"));
    expect([wrongKey.code, wrongKey.stdout]).toEqual([1, ""]);
    expect(wrongKey.stderr).toMatch(/^The key at hand is not the one of the stored secrets\. Nothing was changed\./);
  });
});

describe("tacklebox grants", () => {
  it("lists and revokes grants, and says so when there is none", async () => {
    expect((await run(["grants", "list"])).stdout).toBe(
      "No grants yet. They come from answering an approval for a session or for good.\n",
    );
    await saveSession();
    await fillStore(async ({ grants }) => {
      await grants.save(GRANT);
      await grants.save({ ...GRANT, id: "g2", verdict: "deny", sessionId: "s1" });
    });
    expect((await run(["grants", "list"])).stdout).toBe(
      "ID  VERDICT  SERVER  TOOL   GIVEN                     FOR\n" +
        "g1  allow    files   write  2026-01-01T00:00:00.000Z  every session\n" +
        "g2  deny     files   write  2026-01-01T00:00:00.000Z  session s1\n",
    );
    expect((await run(["grants", "revoke", "g1"])).stdout).toBe("Revoked: allow write of server files.\n");
    expect(await run(["grants", "revoke", "g1"])).toEqual({
      code: 2,
      stdout: "",
      stderr: "There is no grant 'g1'. `tacklebox grants list` shows them all.\n",
    });
    expect(JSON.parse((await run(["grants", "list", "--json"])).stdout)).toMatchObject({ grants: [{ id: "g2" }] });
  });
});

describe("tacklebox gpt", () => {
  const FILE = "servers:\n  files:\n    command: x\ngpts:\n  own:\n    instructions: Be brief.\n";

  it("works without a config: lists none, saves one, shows it and removes it", async () => {
    expect((await run(["gpt", "list"])).stdout).toMatch(/^No GPTs yet\. To save one: tacklebox gpt add KEY/);
    const argv = ["gpt", "add", "reader", "--instructions", "-", "--description", "Reads", "--server", "files"];
    const more = ["--tool", "files:write=off", "--trust", "files:read", "--approval", "trusted-only", "--model", "m"];
    expect(await run([...argv, ...more], undefined, "Read.\nWell.\n")).toEqual({
      code: 0,
      stdout: "Saved GPT 'reader'. Use it with: tacklebox chat --gpt reader\n",
      stderr: "",
    });
    const shown = {
      key: "reader",
      name: "reader",
      description: "Reads",
      instructions: "Read.\nWell.",
      model: "m",
      servers: ["files"],
      tools: { "files:write": "off" },
      approval: "trusted-only",
      trusted_tools: ["files:read"],
      source: "saved",
    };
    expect(JSON.parse((await run(["gpt", "show", "reader", "--json"])).stdout)).toEqual(shown);
    expect(JSON.parse((await run(["gpt", "list", "--json"])).stdout)).toEqual({ gpts: [shown] });
    expect((await run(["gpt", "show", "reader"])).stdout).toMatch(/^key +reader\n[\s\S]*\n\nRead\.\nWell\.\n$/);
    expect(await run(["gpt", "add", "reader"])).toMatchObject({
      code: 2,
      stderr: "There is already a GPT 'reader'. Remove it first: tacklebox gpt remove reader\n",
    });
    expect((await run(["gpt", "remove", "reader"])).stdout).toBe("Removed GPT 'reader'.\n");
    for (const command of ["show", "remove"])
      expect(await run(["gpt", command, "reader"])).toEqual({
        code: 2,
        stdout: "",
        stderr: "There is no GPT 'reader'. `tacklebox gpt list` shows them all.\n",
      });
  });

  it("shows those in the config file and refuses to change them", async () => {
    writeFileSync(join(folder, "tacklebox.yaml"), FILE);
    expect((await run(["gpt", "list"])).stdout).toBe(
      "KEY  SOURCE  MODEL  APPROVAL    SERVERS  DESCRIPTION\nown  file    -      always-ask  all      own\n",
    );
    for (const command of ["add", "remove"])
      expect(await run(["gpt", command, "own"])).toEqual({
        code: 1,
        stdout: "",
        stderr: "GPT 'own' is defined in the config file. Change it there.\n",
      });
  });

  it.each([
    [["--server", "file"], 'No server is named "file". Servers: files'],
    [["--trust", "file:read"], 'No server is named "file". Servers: files'],
    [["--tool", "files:read=never"], "--tool files:read=never: write it as server:tool=always, manual, agent or off."],
    [["--approval", "never"], "Allowed choices are auto, always-ask, trusted-only."],
  ])("refuses %j", async (options, text) => {
    writeFileSync(join(folder, "tacklebox.yaml"), FILE);
    const { code, stderr } = await run(["gpt", "add", "x", ...options]);
    expect(code).toBe(2);
    expect(stderr).toContain(text);
  });

  it("says what is wrong with a broken config", async () => {
    writeFileSync(join(folder, "tacklebox.yaml"), "servers: [");
    expect(await run(["gpt", "list"])).toMatchObject({ code: 1, stdout: "" });
    expect((await run(["gpt", "list", "--config", "none.yaml"])).stderr).toContain("none.yaml");
  });
});

describe("tacklebox model", () => {
  it("lists the demo model when there is no other, with advice", async () => {
    const { code, stdout } = await run(["model", "list"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^NAME +DEFAULT +VENDOR +ID +SOURCE\ndemo +yes +demo +demo +built in\n\nThe demo model /);
    expect(stdout).toContain("OPENAI_API_KEY");
  });

  it("lists those in the config file without connecting anything", async () => {
    const model =
      "models:\n  mine:\n    vendor: openai-compatible\n    model: llama\n    base_url: http://127.0.0.1:9/v1\n";
    writeFileSync(
      join(folder, "tacklebox.yaml"),
      `${model}servers:\n  gone:\n    command: /nowhere\n    required: true\n`,
    );
    expect(JSON.parse((await run(["model", "list", "--json"])).stdout)).toMatchObject({
      models: [
        { name: "mine", vendor: "openai-compatible", model_id: "llama", default: true },
        { name: "demo", default: false },
      ],
    });
    const tested = await run(["model", "test", "--json"]);
    expect(tested.code).toBe(3);
    expect(JSON.parse(tested.stdout)).toMatchObject({ model: "mine", ok: false, text: "", code: "unreachable" });
    expect(tested.stderr).toContain("Model 'mine' (llama at 127.0.0.1:9) cannot be reached");
  });

  it("tests one, and leaves no session behind", async () => {
    expect((await run(["model", "test"])).stdout).toMatch(/^demo answered in \d+\.\d{3} s: I am the demo model/);
    expect((await run(["sessions", "list", "--json"])).stdout).toBe('{"sessions":[]}\n');
  });

  it("says that there is no such model: exit 1", async () => {
    expect(await run(["model", "test", "nope"])).toMatchObject({ code: 1, stdout: "" });
    expect((await run(["model", "test", "nope"])).stderr).toMatch(/^There is no model 'nope'\. Available: demo\./);
  });

  it.each([
    [{ reason: "refused" }, 3, "The model refused to answer.\n"],
    [{ reason: "length" }, 3, "The model's answer was cut short.\n"],
    [{ reason: "cancelled" }, 130, "The test was cancelled.\n"],
  ] as const)("tells an end by %j", async (end, code, stderr) => {
    const runs = scriptedRuns((_request, { id }) => [{ type: "run-ended", runId: id, end }]);
    const engine = createScriptedEngine({ runs });
    expect(await run(["model", "test"], engine)).toEqual({ code, stdout: "", stderr });
    expect(engine.steps).toEqual(["stop 0", "close"]);
  });
});
