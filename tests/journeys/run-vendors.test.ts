import { describe, expect, it } from "vitest";
import { z } from "zod";
import { LANGUAGES, modelEntry, startScriptedVendor } from "../support/model-servers.ts";
import { runProgram } from "../support/program.ts";
import { answer, calls, modelText, ofType, runScript } from "../support/run-lines.ts";
import { everythingPath } from "../support/servers.ts";
import { fixtureServer, nodeServer, toolboxFile } from "../support/toolbox-file.ts";

const servers = { s: fixtureServer("collide", { NAME: "s", TOOLS: "a,b" }) };

describe.each(LANGUAGES)("what a model that speaks %s may do", (language) => {
  it("arguments in fragments, those of two calls interleaved, arrive whole and are answered in order", async () => {
    const everything = { servers: { everything: nodeServer(everythingPath) } };
    const asked = calls(["echo", { message: "first of two" }], ["echo", { message: "second of two" }]);
    const { code, lines, requests } = await runScript([asked, answer("Done.")], everything, { language });
    expect([code, modelText(lines)]).toEqual([0, "Done."]);
    expect(ofType(lines, "call-pending").map(({ arguments: given }) => given)).toEqual([
      { message: "first of two" },
      { message: "second of two" },
    ]);
    const [, second = ""] = requests.map(({ body }) => body);
    expect(second.indexOf("Echo: first of two")).toBeGreaterThan(0);
    expect(second.indexOf("Echo: second of two")).toBeGreaterThan(second.indexOf("Echo: first of two"));
  });

  it("S1.43 S2.10 arguments that are not JSON and a tool that does not exist are reported to the model, which goes on", async () => {
    const asked = calls(["a", '{"oops'], ["no_such_tool", {}], ["b", {}]);
    const { code, lines, requests } = await runScript([asked, answer("I see.")], { servers }, { language });
    expect([code, modelText(lines)]).toEqual([0, "I see."]);
    const ended = ofType(lines, "call-ended").map(({ tool, ending, text }) => ({ tool, ending, text }));
    const unreadable = { tool: "a", ending: "invalid-arguments", text: expect.stringMatching(/^MCP error: /) };
    const unknown = { tool: "no_such_tool", ending: "unknown-tool", text: expect.stringMatching(/^MCP error: /) };
    expect(ended).toHaveLength(3);
    expect(ended).toEqual(expect.arrayContaining([unreadable, unknown, { tool: "b", ending: undefined, text: "s:b" }]));
    expect(requests[1]?.body.split("MCP error: ")).toHaveLength(3);
  });

  it("D.25 is shown the image a tool returns, and what it is where it does not see", async () => {
    const everything = { servers: { everything: nodeServer(everythingPath) } };
    const turns = [calls(["get-tiny-image", {}]), answer("I see.")];
    const seeing = await runScript(turns, everything, { language });
    const [image] = ofType(seeing.lines, "call-ended").flatMap(({ content }) => imagesIn(content));
    expect(image?.length).toBeGreaterThan(1_000);
    expect(seeing.requests[1]?.body).toContain(image);
    const vendor = await startScriptedVendor(language, turns);
    const blind = { ...everything, models: { m: modelEntry(language, vendor.url, { vision: false }) } };
    const { code } = await runProgram(["run", "look", "--config", await toolboxFile(blind)]);
    expect([code, vendor.requests[1]?.body.includes(image ?? "")]).toEqual([0, false]);
    expect(vendor.requests[1]?.body).toMatch(/\[image, image\/png, \d+ bytes\]/);
  });

  it("an empty turn ends the run, and says so", async () => {
    const vendor = await startScriptedVendor(language, [{ kind: "answer" }]);
    const config = await toolboxFile({ servers: {}, models: { m: modelEntry(language, vendor.url) } });
    const { code, stdout, stderr } = await runProgram(["run", "hi", "--config", config]);
    expect([code, stdout, stderr]).toEqual([0, "", "Model 'm' ended its turn without saying anything.\n"]);
  });

  it.each([
    ["429", { kind: "fail", code: "rate-limit", retryAfterMs: 7_000 }, "", "Try again in 7 s"],
    ["500", { kind: "fail", code: "unreachable" }, "", "failed (HTTP 500)"],
    ["a wrong key", { kind: "fail", code: "auth" }, "", "did not accept the key (HTTP 401)"],
    ["a cut stream", { kind: "cut", text: "It is abou" }, "It is abou\n", "broke off in the middle of its answer"],
    ["an answer that is no JSON", { kind: "fail", code: "bad-answer" }, "", "gave an answer that could not be read"],
    ["a refusal", { kind: "answer", end: "refused" }, "", "refused"],
    ["the longest answer", { kind: "answer", text: "And so o", end: "length" }, "And so o\n", "The answer is cut off"],
  ] as const)("%s ends the run with exit 3 and says why, after a tool round that stays", async (_, turn, text, why) => {
    const vendor = await startScriptedVendor(language, [calls(["a", {}]), turn]);
    const config = await toolboxFile({ servers, models: { m: modelEntry(language, vendor.url) } });
    const { code, stdout, stderr } = await runProgram(["run", "hi", "--config", config]);
    expect([code, stdout]).toEqual([3, text]);
    expect(stderr).toMatch(/model 'm'/i);
    expect(stderr).toContain(why);
    expect(vendor.requests).toHaveLength(2);
  });
});

describe("what a run survives", () => {
  const odd = { servers: { odd: fixtureServer("odd") } };

  it("S1.43 S2.10 S2.11 D.8 every way a call can fail goes to the model as its result; the run goes on", async () => {
    const asked = calls(["fail", {}], ["rpc_error", {}], ["garbage", {}]);
    const { code, lines } = await runScript([asked, calls(["die", {}]), answer("Sorry.")], odd);
    expect([code, modelText(lines)]).toEqual([0, "Sorry."]);
    const ended = ofType(lines, "call-ended").map(({ tool, is_error, text }) => [tool, is_error, text]);
    expect(ended).toEqual(
      expect.arrayContaining([
        ["fail", true, "it broke"],
        ["rpc_error", true, expect.stringMatching(/^MCP error: .*no luck/)],
        ["garbage", true, expect.stringMatching(/^MCP error: /)],
        ["die", true, expect.stringMatching(/^MCP error: /)],
      ]),
    );
  });

  it("S1.43 a person sees on stderr which call failed", async () => {
    const vendor = await startScriptedVendor("anthropic", [calls(["fail", {}]), answer("Sorry.")]);
    const config = await toolboxFile({ ...odd, models: { m: modelEntry("anthropic", vendor.url) } });
    const { code, stdout, stderr } = await runProgram(["run", "hi", "--config", config]);
    expect([code, stdout]).toEqual([0, "Sorry.\n"]);
    expect(stderr).toMatch(/^← fail tool-error, \d+ ms: it broke\n$/);
  });

  it("C2.3 a model that never stops asking is stopped after 20 rounds, exit 3", async () => {
    const { code, lines, requests } = await runScript([calls(["a", {}])], { servers });
    expect([code, requests.length]).toEqual([3, 20]);
    expect(lines.at(-1)).toEqual({
      type: "run-ended",
      reason: "too-many-rounds",
      message: "Error: maximum tool call rounds exceeded.",
    });
  });

  it("D.25 a long result is cut for the model, with a mark, and can be read on", async () => {
    const { code, lines, requests } = await runScript([calls(["big", { bytes: 40_000 }]), answer("Long.")], odd);
    expect([code, modelText(lines)]).toEqual([0, "Long."]);
    const [first = "", second = ""] = requests.map(({ body }) => body);
    expect(second).toContain("[Cut: characters 0 to 30000 of 40000. To read on, call read_result with");
    expect(second.length - first.length).toBeLessThan(32_000);
    expect(ofType(lines, "call-ended")).toMatchObject([{ content: [{ text: "x".repeat(40_000) }] }]);
  });
});

const Images = z.array(z.object({ type: z.string(), data: z.string().optional() }));

function imagesIn(content: unknown): string[] {
  return Images.parse(content).flatMap(({ type, data }) => (type === "image" && data !== undefined ? [data] : []));
}
