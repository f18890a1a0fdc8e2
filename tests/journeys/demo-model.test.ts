import { describe, expect, it } from "vitest";
import { runProgram } from "../support/program.ts";
import { linesOf, modelText, ofType } from "../support/run-lines.ts";
import { everythingPath, filesystemPath } from "../support/servers.ts";
import { nodeServer, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder, writeConfig } from "../support/workspace.ts";

/** Nothing listens at this address, so an Ollama on this machine is not used. */
const nowhere = { OLLAMA_HOST: "127.0.0.1:9" };

async function ask(prompt: string, servers: object, env: Record<string, string> = {}, args: readonly string[] = []) {
  const config = await toolboxFile({ servers });
  const { code, stdout, stderr } = await runProgram(["run", prompt, "--json", "--config", config, ...args], {
    env: { ...nowhere, ...env },
  });
  const lines = linesOf(stdout);
  const calls = ofType(lines, "call-pending").map(({ tool, arguments: given }) => [tool, given]);
  return { code, stderr, lines, calls, reply: modelText(lines) };
}

const everything = { everything: nodeServer(everythingPath) };

describe("without a key and without a network, the demo model", () => {
  it("calls echo of the everything server, and ends with its answer", async () => {
    const { code, stderr, lines, calls, reply } = await ask("echo message=hello", everything);
    expect([code, stderr]).toEqual([0, ""]);
    expect(lines[0]).toMatchObject({ type: "run-started", model: "demo" });
    expect(calls).toEqual([["echo", { message: "hello" }]]);
    expect(ofType(lines, "call-ended")).toMatchObject([{ status: "success", text: "Echo: hello" }]);
    expect(reply).toMatch(/^I am the demo model .*echo answered: Echo: hello$/s);
    expect(lines.at(-1)).toEqual({ type: "run-ended", reason: "done" });
  });

  it("does two things one after the other", async () => {
    const { calls, reply } = await ask("What is the sum of 2 and 40, then echo the result", everything);
    expect(calls).toEqual([
      ["get-sum", { a: 2, b: 40 }],
      ["echo", { message: "The sum of 2 and 40 is 42." }],
    ]);
    expect(reply).toMatch(/echo answered: Echo: The sum of 2 and 40 is 42\.$/);
  });

  it("asks for what is missing, and goes on with the answer in the same session, as one conversation", async () => {
    const data = { TACKLEBOX_DATA: await temporaryFolder() };
    const first = await ask("get-sum a=1", everything, data);
    expect(first.calls).toEqual([]);
    expect(first.reply).toMatch(/To use get-sum I need b \(a number\)\. For example: `get-sum a=1 b=1`$/);
    const session = String(first.lines[0]?.session_id);
    const second = await ask("2", everything, data, ["--session", session]);
    expect(second.calls).toEqual([["get-sum", { a: 1, b: 2 }]]);
    expect(second.reply).toBe("get-sum answered: The sum of 1 and 2 is 3.");
  });

  it("reads a file when asked in a sentence, and says so if there is no such file", async () => {
    const folder = await temporaryFolder();
    await writeConfig(folder, "notes.txt", "buy milk\n");
    const files = { files: { ...nodeServer(filesystemPath, folder), allow: ["read_text_file", "list_*"] } };
    const read = await ask(`Please read the text file ${folder}/notes.txt`, files);
    expect(read.calls).toEqual([["read_text_file", { path: `${folder}/notes.txt` }]]);
    expect(read.reply).toMatch(/read_text_file answered: buy milk$/);
    const missing = await ask(`read_text_file ${folder}/none.txt`, files);
    expect(missing.code).toBe(0);
    expect(missing.reply).toMatch(/read_text_file failed: .*none\.txt.*\n\nTry different arguments, such as `/s);
  });

  it("handles what newcomers are likely to try, each in its own conversation", async () => {
    const folder = await temporaryFolder();
    await writeConfig(folder, "packing-list.md", "# Packing list\n");
    const config = await toolboxFile({ servers: { ...everything, files: nodeServer(filesystemPath, folder) } });
    const list = ["list_directory", { path: "." }];
    const read = ["read_file", { path: "packing-list.md" }];
    const tried: readonly (readonly [string, ...unknown[]])[] = [
      ["list the files", list],
      ["what files are there?", list],
      ["show me the files in the folder", list],
      ["what's in this folder?", list],
      ["read the file packing-list.md", read],
      ["what is in packing-list.md", read],
      ["open packing-list.md", read],
      ["how big is packing-list.md", ["get_file_info", { path: "packing-list.md" }]],
      ["list the files, then open packing-list.md", list, read],
      ["add 2 and 3", ["get-sum", { a: 2, b: 3 }]],
      ["what is 5 plus 7?", ["get-sum", { a: 5, b: 7 }]],
      ["say hello world", ["echo", { message: "hello world" }]],
      ["what's the weather in New York?", ["get-structured-content", { location: "New York" }]],
      ["give me a tiny picture", ["get-tiny-image", {}]],
      ["create a folder named trips", ["create_directory", { path: "trips" }]],
      ["write a file called notes.txt with buy milk", ["write_file", { path: "notes.txt", content: "buy milk" }]],
      ['search for files with "list" in their name', ["search_files", { path: ".", pattern: "list" }]],
      ["find md files"],
      ["delete the file packing-list.md"],
      ["hello"],
      ["thanks!"],
      ["rename packing-list.md to list.md", ["move_file", { source: "packing-list.md", destination: "list.md" }]],
    ];
    const { code, stdout } = await runProgram(["chat", "--json", "--approve", "auto", "--config", config], {
      env: nowhere,
      stdin: tried.map(([prompt]) => `${prompt}\n/fresh\n`).join(""),
    });
    const turns = stdout.split(/^(?=\{"type":"run-started")/m).map((turn) => {
      const lines = linesOf(turn.replaceAll(/^(?!\{).*\n/gm, ""));
      return ofType(lines, "call-pending").map(({ tool, arguments: given }) => [tool, given]);
    });
    expect(code).toBe(0);
    expect(turns.map((calls, at) => [tried[at]?.[0], ...calls])).toEqual(tried);
  });
});
