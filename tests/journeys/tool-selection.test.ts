import type { LLMock } from "@copilotkit/aimock";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { modelEntry, startAimock } from "../support/model-servers.ts";
import { runProgram } from "../support/program.ts";
import { linesOf, modelText, ofType } from "../support/run-lines.ts";
import { fixtureServer, parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

const Named = z.object({ name: z.string().optional(), description: z.string().optional() });
const Offered = z.object({ tools: z.array(Named.extend({ function: Named.optional() })) });

/** Sets up a model server, and a program with one thousand tools, some of them hidden from models. */
async function office() {
  const mock = await startAimock();
  const data = { TACKLEBOX_DATA: await temporaryFolder() };
  const config = await toolboxFile({
    models: { m: modelEntry("anthropic", mock.url) },
    servers: { office: { ...fixtureServer("office"), deny: ["delete_*"] } },
    toolbox: {
      tools: [
        { name: "approve_invoice", approval: "deny" },
        { name: "publish_invoice", include: "manual" },
      ],
    },
  });
  const run = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await runProgram([...args, "--json", "--config", config], { env: data });
    expect([code, stderr]).toEqual([0, ""]);
    return stdout;
  };
  const prompt = async (text: string, ...args: readonly string[]) => linesOf(await run("run", text, ...args));
  return { mock, run, prompt };
}

/** Returns the names of the tools in each request. */
function offered(mock: LLMock): readonly (readonly string[])[] {
  return mock
    .getRequests()
    .map(({ body }) => Offered.parse(body).tools.map((tool) => (tool.function ?? tool).name ?? ""));
}

function asks(name: string, args: object, id: string) {
  return { name, arguments: JSON.stringify(args), id };
}

describe("a model and one thousand tools", () => {
  it("C3.2 is sent the right one for the prompt and few others, the same ones in every turn, and they are recorded", async () => {
    const { mock, run, prompt } = await office();
    mock.on({ toolResultContains: "done: archive_invoice 17" }, { content: "It is archived." });
    mock.on({ userMessage: "archive" }, { toolCalls: [asks("archive_invoice", { id: "17" }, "call_1")] });
    const lines = await prompt("Please archive the invoice 17");
    expect(modelText(lines)).toBe("It is archived.");
    const [first = [], second] = offered(mock);
    expect(first).toContain("archive_invoice");
    expect(first.slice(0, 2)).toEqual(["search_tools", "call_tool"]);
    expect(first.length).toBeLessThan(30);
    expect(second).toEqual(first);
    const [{ tools, left, demoted } = {}] = ofType(lines, "selection-made");
    expect(tools).toContainEqual({
      name: "archive_invoice",
      server: "office",
      mode: "agent",
      score: expect.any(Number),
    });
    expect([left, demoted]).toEqual([958 - (first.length - 2), 958]);
    const id = String(ofType(lines, "run-started")[0]?.session_id);
    const shown = Object(parsed(await run("sessions", "show", id))).messages;
    expect(shown[1].selection).toEqual({ tools, left, demoted, capped: 0 });

    mock.on({ userMessage: "thank" }, { content: "You are welcome." });
    await prompt("I thank you", "--session", id);
    expect(offered(mock).at(-1)).toContain("archive_invoice");
  });

  it("finds one that it was not sent, and its call is an ordinary call of that tool; so is one by its name alone", async () => {
    const { mock, run, prompt } = await office();
    const call = asks("call_tool", { name: "office/archive_invoice", arguments: { id: "17" } }, "call_2");
    mock.on({ toolResultContains: "done: archive_invoice 17" }, { content: "It is archived." });
    mock.on(
      { toolResultContains: "office/archive_invoice(id: string, comment?: string) - Use this" },
      { toolCalls: [asks("rename_folder", { id: "5" }, "call_3"), call] },
    );
    mock.on({ userMessage: "agreed" }, { toolCalls: [asks("search_tools", { query: "archive invoice" }, "call_1")] });
    const lines = await prompt("Do what we agreed upon");
    expect(modelText(lines)).toBe("It is archived.");
    expect(offered(mock)[0]).not.toContain("archive_invoice");
    expect(offered(mock)[0]).not.toContain("rename_folder");
    const ended = ofType(lines, "call-ended").map(({ server, tool, status }) => [server, tool, status]);
    expect(ended).toHaveLength(3);
    expect(ended).toEqual(
      expect.arrayContaining([
        [null, "search_tools", "success"],
        ["office", "rename_folder", "success"],
        ["office", "archive_invoice", "success"],
      ]),
    );
    const calls: { tool: string }[] = Object(parsed(await run("calls"))).calls;
    expect(calls.map(({ tool }) => tool).sort()).toEqual(["archive_invoice", "rename_folder"]);
    expect(calls.find(({ tool }) => tool === "archive_invoice")).toMatchObject({
      server: "office",
      arguments: { id: "17" },
      status: "success",
    });
  });

  it("is informed that nothing matches, and which servers there are", async () => {
    const { mock, prompt } = await office();
    mock.on({ toolResultContains: "Servers: office." }, { content: "There is no tool for that, only the office's." });
    mock.on(
      { userMessage: "physics" },
      { toolCalls: [asks("search_tools", { query: "quantum entanglement" }, "call_1")] },
    );
    const lines = await prompt("Do physics");
    expect(modelText(lines)).toBe("There is no tool for that, only the office's.");
    expect(ofType(lines, "call-ended")).toMatchObject([
      {
        status: "success",
        text: expect.stringMatching(/^No tool fits "quantum entanglement"\. .* Servers: office\.$/),
      },
    ]);
  });

  it("T25 never finds what is hidden, denied or for people to add, and cannot call it either", async () => {
    const { mock, run, prompt } = await office();
    const forbidden = ["delete_invoice", "approve_invoice", "publish_invoice"];
    const searches = forbidden.map((name, index) => asks("search_tools", { query: name, limit: 20 }, `s${index}`));
    const calls = forbidden.map((name, index) => asks("call_tool", { name, arguments: { id: "1" } }, `c${index}`));
    mock.on({ userMessage: "everything", turnIndex: 0 }, { toolCalls: [...searches, ...calls] });
    mock.on({ userMessage: "everything", turnIndex: 1 }, { content: "I cannot." });
    const lines = await prompt("Delete, approve and publish everything");
    const ended = ofType(lines, "call-ended");
    const found = ended.filter(({ tool }) => tool === "search_tools").map(({ text }) => String(text));
    expect(found).toHaveLength(3);
    for (const text of found) expect(text).not.toMatch(/\/(?:delete_\w+|approve_invoice|publish_invoice)\b/);
    expect(offered(mock)[0]?.filter((name) => forbidden.includes(name) || name.startsWith("delete_"))).toEqual([]);
    const refused = ended.filter(({ tool }) => tool !== "search_tools");
    expect(Object.fromEntries(refused.map(({ tool, ending }) => [tool, ending]))).toEqual({
      delete_invoice: "denied",
      approve_invoice: "denied",
      publish_invoice: "unknown-tool",
    });
    // The text is what the model was sent; people also get the error.
    const told = refused.find(({ tool }) => tool === "delete_invoice");
    expect(told?.text).toMatch(/^MCP error: Unknown tool 'delete_invoice'\./);
    expect(told?.error).toMatch(/^Tool call denied: the deny list of 'office' names 'delete_invoice' \(.*:\d+\)\. /);
    const byHand = Object(parsed(await run("search", "delete approve invoice"))).tools;
    const names: readonly string[] = byHand.map(({ name }: { name: string }) => name);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => name.startsWith("delete_") || name === "approve_invoice")).toEqual([]);
    const [byMeaning] = Object(parsed(await run("search", "questionnaire"))).tools;
    expect(byMeaning.name).toMatch(/_survey$/);
  });

  it("C3.1 a tool that a person added is sent with every prompt of the session", async () => {
    const { mock, prompt } = await office();
    mock.on({ userMessage: "hello" }, { content: "Hello." });
    const lines = await prompt("hello", "--tool", "publish_invoice", "--without", "archive_invoice");
    await prompt("hello again", "--session", String(ofType(lines, "run-started")[0]?.session_id));
    expect(offered(mock).map(([first]) => first)).toEqual(["publish_invoice", "publish_invoice"]);
  });
});

it("asks a configured model for the embedding of each tool once, however often the program starts", async () => {
  const mock = await startAimock();
  const env = { TACKLEBOX_DATA: await temporaryFolder() };
  const config = await toolboxFile({
    models: { e: modelEntry("openai chat", mock.url, { model: "text-embedding-3-small" }) },
    servers: { one: fixtureServer("collide", { TOOLS: "feed_cat,send_parcel,read_letter", NAME: "one" }) },
    toolbox: { search: { embeddings: "e" } },
  });
  for (const words of ["feed", "send"]) {
    const { code, stderr } = await runProgram(["search", words, "--config", config], { env });
    expect([code, stderr]).toEqual([0, ""]);
  }
  const asked = mock
    .getRequests()
    .map(({ body }) => z.object({ embeddingInput: z.string() }).parse(body).embeddingInput);
  expect(asked).toEqual([expect.stringMatching(/feed_cat.*send_parcel.*read_letter/), "feed", "send"]);
});
