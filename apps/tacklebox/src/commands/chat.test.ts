import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { RunEvent, RunRequest } from "@tacklebox/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runProgram } from "../program.ts";
import { createMemoryIo } from "../testing/memory-io.ts";
import { operatorEnv } from "../testing/operator-env.ts";
import { createScriptedEngine, type EngineScript, readTool } from "../testing/scripted-engine.ts";
import { scriptedRuns } from "../testing/scripted-runs.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tacklebox-chat-"));
  await writeFile(join(folder, "tacklebox.yaml"), "servers: {}\n");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const GPT = { key: "clerk", name: "Clerk", instructions: "", tools: {}, approval: "auto", trustedTools: [] } as const;

async function chat(
  options: readonly string[],
  input: string,
  ends: readonly RunEvent[] = [],
  script: EngineScript = {},
) {
  const requests: RunRequest[] = [];
  const left = [...ends];
  const engine = createScriptedEngine({
    gpts: { list: async () => [GPT] },
    runs: scriptedRuns(function* (request, { id }) {
      requests.push(request);
      yield { type: "run-started", runId: id, sessionId: "s-1", model: "demo" };
      yield { type: "text", text: "Hello." };
      yield left.shift() ?? { type: "run-ended", runId: id, end: { reason: "done" } };
    }),
    ...script,
  });
  const io = createMemoryIo({ cwd: folder, env: operatorEnv(folder), stdin: Readable.from([input]) });
  const code = await runProgram(["chat", ...options], io, engine.open);
  return { code, requests, stdout: io.stdout.text(), stderr: io.stderr.text() };
}

describe("chat", () => {
  it("asks about calls unless the command line or the assistant says otherwise", async () => {
    const modes = async (...options: readonly string[]) =>
      (await chat(options, "hi\n")).requests.map(({ approvalMode }) => approvalMode);
    expect(await modes()).toEqual(["always-ask"]);
    expect(await modes("--gpt", "clerk")).toEqual([undefined]);
    expect(await modes("--gpt", "clerk", "--approve", "trusted-only")).toEqual(["trusted-only"]);
  });

  it("continues one conversation, line after line", async () => {
    const { requests, stdout, code } = await chat([], "one\n\n  \ntwo\n");
    expect(requests.map(({ sessionId, prompt }) => [sessionId, prompt])).toEqual([
      [undefined, [{ type: "text", text: "one" }]],
      ["s-1", [{ type: "text", text: "two" }]],
    ]);
    expect([code, stdout]).toEqual([0, "Hello.\nHello.\n"]);
  });

  it("exits with the code of the last prompt that failed", async () => {
    const failed = { reason: "model-error", code: "auth", message: "The key is wrong." } as const;
    const { code, stderr } = await chat([], "one\ntwo\n", [{ type: "run-ended", runId: "run-1", end: failed }]);
    expect([code, stderr]).toEqual([3, "The key is wrong.\n"]);
  });

  it("changes its settings by slash commands", async () => {
    const { requests, stdout } = await chat([], "/gpt clerk\none\n/fresh\ntwo\n/gpt none\nthree\n/nope\n/etc/hosts?\n");
    expect(requests.map(({ gpt, sessionId }) => [gpt, sessionId])).toEqual([
      ["clerk", undefined],
      ["clerk", undefined],
      [undefined, undefined],
      [undefined, "s-1"],
    ]);
    expect(stdout).toContain("Clerk answers from now on. Its calls run without asking.");
    expect(stdout).toContain("There is no command /nope. /help shows them all.");
  });

  it.each([
    ["/tools", "There are no tools yet"],
    ["/servers", "No servers are configured"],
    ["/why", "Name a tool"],
    ["/why it", 'No server has a tool named "it"'],
    ["/show", "No tool has been called yet"],
    ["/gpt", "clerk"],
    ["/gpt nobody", "There is no GPT 'nobody'"],
    ["/model nobody", "There is no model 'nobody'"],
    ["/sessions", "There are no conversations yet"],
    ["/sessions 3", "There is no session '3'. `/sessions` shows them all."],
    ["/", "/quit"],
  ])("%s says: %s", async (line, text) => {
    const { stdout, requests } = await chat([], `${line}\n`);
    expect(stdout).toContain(text);
    expect(requests).toEqual([]);
  });

  it("finds tools by words, and adds them to the conversation or removes them", async () => {
    const choices: unknown[] = [];
    const why = { named: false, words: [], server: 0, meaning: 0 };
    const script: EngineScript = {
      tools: {
        list: async () => [readTool, { ...readTool, shownName: "other" }],
        search: async (query) => (query.includes("file") ? [{ tool: readTool, score: 0.5, why }] : []),
      },
      sessions: {
        async setTool(...choice) {
          choices.push(choice);
          if (choice[1] === "gone") return { kind: "failed", failure: { code: "not-found", message: "It is gone" } };
          return { kind: "ok", value: { id: "s-1", title: "", createdAt: "", updatedAt: "" } };
        },
      },
    };
    const chatWith = async (input: string) => chat([], input, [], script);
    const found = (await chatWith("/tools load a file\n")).stdout;
    expect(found).toContain("files_read");
    expect(found).not.toContain("other");
    expect((await chatWith("/tools music\n")).stdout).toContain("None of 2 tools matches 'music'.");
    const { requests, stdout } = await chatWith(
      "/tools add files_read\n/tools remove nobody\nhi\n/tools remove files:read\n/tools add gone\n/tools add file\nhi\n",
    );
    expect(requests.map(({ tools, sessionId }) => [tools, sessionId])).toEqual([
      [{ files_read: "in" }, undefined],
      [undefined, "s-1"],
    ]);
    expect(choices).toEqual([
      ["s-1", "files:read", "out"],
      ["s-1", "gone", "in"],
      ["s-1", "file", "in"],
    ]);
    expect(stdout).toContain("files_read is part of every request from now on.\n");
    expect(stdout).toContain("There is no tool 'nobody' here.\n");
    expect(stdout).toContain("files:read is left out of this conversation.\n");
    expect(stdout).toContain("It is gone\n");
  });

  it.each([
    ["--gpt", "There is no GPT 'nobody'"],
    ["--model", "There is no model 'nobody'"],
    ["--session", "There is no session 'nobody'"],
  ])("does not start when %s names nothing", async (option, message) => {
    const { code, stderr } = await chat([option, "nobody"], "hi\n");
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});
