import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { Gpt, ModelSummary, SessionMessage } from "@tacklebox/core";
import { describe, expect, it } from "vitest";
import { APPROVAL_REQUEST } from "../testing/approval-request.ts";
import { toAbilities, toClient } from "./abilities.ts";
import { toPromptParts } from "./prompt-parts.ts";
import { readSessionParams } from "./read-params.ts";
import { toRpcFailure } from "./rpc/rpc-error.ts";
import { toApprovalAnswer, toPermissionOptions } from "./run/permission.ts";
import { createServerNews } from "./server-news.ts";
import { approvalModeOf, type Choices, choose, toConfigOptions } from "./settings.ts";
import { fillArguments, toAvailableCommand, toPromptCommands } from "./slash/prompt-commands.ts";
import { replayUpdates } from "./updates/replay.ts";
import { createUpdateStream } from "./updates/update-stream.ts";

describe("prompts", () => {
  it("are text, links, resources and images", () => {
    const image = { type: "image", data: "aGk=", mimeType: "image/png" };
    const blocks = [
      { type: "text", text: "look" },
      { type: "resource_link", uri: "file:///a", name: "a" },
      { type: "resource", resource: { uri: "file:///b", text: "x\n```\ny" } },
      { type: "resource", resource: { uri: "file:///c", blob: "aGk=", mimeType: "image/png" } },
      { type: "resource", resource: { uri: "file:///d", blob: "aGk=", mimeType: "application/pdf" } },
      image,
    ];
    expect(toPromptParts(blocks)).toEqual([
      { type: "text", text: "look" },
      { type: "text", text: "[a](file:///a)" },
      { type: "text", text: "Content of file:///b:\n````\nx\n```\ny\n````" },
      image,
      { type: "text", text: "file:///d is attached, but is not text, so it is not shown here." },
      image,
    ]);
  });

  it.each([[{ type: "audio", data: "", mimeType: "audio/wav" }], ["text"], [{ type: "text" }]])(
    "%j is refused, with its position",
    (block) => {
      expect(() => toPromptParts([{ type: "text", text: "a" }, block])).toThrow(/^prompt\[1\] cannot be used/);
    },
  );
});

describe("T3.12 parameters of a session", () => {
  it("accept a list of servers, no list and null", () => {
    expect(readSessionParams({ cwd: "/w", mcpServers: null, additionalDirectories: ["/x"] })).toEqual({
      cwd: "/w",
      mcpServers: null,
      additionalDirectories: ["/x"],
    });
  });

  it("S3.28 normalize a folder, however the editor writes it", () => {
    const params = { cwd: "/w/", mcpServers: [], additionalDirectories: ["/x/../y/"] };
    expect(readSessionParams(params)).toMatchObject({ cwd: "/w", additionalDirectories: ["/y"] });
  });

  it.each([
    [{ cwd: "w" }, 'cwd must be an absolute path, not "w"'],
    [{}, "cwd must be a string"],
    [{ cwd: "/w", additionalDirectories: ["x"] }, 'additionalDirectories must be an absolute path, not "x"'],
    [null, "params must be an object"],
  ])("S3.28 C3.6 refuse %j", (params, message) => {
    expect(() => readSessionParams(params)).toThrow(message);
  });
});

const selected = (optionId: string) => ({ outcome: { outcome: "selected", optionId } });

describe("C3.7 D.9 permissions", () => {
  it("offer all four kinds, and no answer that lasts longer than policy allows", () => {
    expect(toPermissionOptions(APPROVAL_REQUEST).map(({ kind }) => kind)).toEqual([
      "allow_once",
      "allow_always",
      "allow_always",
      "reject_once",
      "reject_always",
    ]);
    expect(toPermissionOptions({ lasting: ["once"] }).map(({ kind }) => kind)).toEqual(["allow_once", "reject_once"]);
  });

  it("bind the answer to the arguments and the definition that were shown", () => {
    const bound = { argumentsDigest: "digest", fingerprint: "print" };
    expect(toApprovalAnswer(selected("allow-once"), APPROVAL_REQUEST)).toEqual({
      kind: "allow",
      lasting: "once",
      ...bound,
    });
    expect(toApprovalAnswer(selected("allow-always"), APPROVAL_REQUEST)).toEqual({
      kind: "allow",
      lasting: "always",
      ...bound,
    });
    expect(toApprovalAnswer(selected("reject-session"), APPROVAL_REQUEST)).toEqual({
      kind: "deny",
      lasting: "session",
    });
  });

  it.each([selected("allow-everything"), { outcome: { outcome: "cancelled" } }, {}, null, selected("allow-session")])(
    "count %j as a no when it was not offered",
    (response) => {
      expect(toApprovalAnswer(response, { ...APPROVAL_REQUEST, lasting: ["once"] })).toMatchObject({ kind: "deny" });
    },
  );
});

const MODEL: ModelSummary = {
  name: "m",
  vendor: "openai",
  modelId: "gpt",
  isDefault: true,
  source: "file",
  vision: false,
  contextTokens: 10,
};
const GPT: Gpt = { key: "g", name: "G", instructions: "", tools: {}, approval: "trusted-only", trustedTools: [] };
const CHOICES: Choices = { models: [MODEL], gpts: [GPT] };

describe("settings of a session", () => {
  it("D.9 the person is asked unless they, or the GPT, say otherwise", () => {
    expect(approvalModeOf({}, CHOICES)).toBe("always-ask");
    expect(approvalModeOf({ gpt: "g" }, CHOICES)).toBe("trusted-only");
    expect(approvalModeOf({ gpt: "g", mode: "auto" }, CHOICES)).toBe("auto");
  });

  it("are chosen by value, and `default` leaves them to Tacklebox again", () => {
    expect(choose({}, "model", "m", CHOICES)).toEqual({ model: "m" });
    expect(choose({ model: "m", gpt: "g" }, "model", "default", CHOICES)).toEqual({ gpt: "g" });
    expect(choose({}, "gpt", "g", CHOICES)).toEqual({ gpt: "g" });
    expect(choose({}, "mode", "auto", CHOICES)).toEqual({ mode: "auto" });
    expect(choose({}, "model", "m/other", CHOICES)).toEqual({ model: "m/other" });
    expect(choose({}, "gpt", "nobody", CHOICES)).toBe("'nobody' cannot be chosen as gpt. Available: default, g");
    expect(choose({}, "colour", "red", CHOICES)).toBe("There is no option 'colour'. Available: mode, model, gpt");
  });

  it("show the chosen value even before the choices are known", () => {
    const [, model] = toConfigOptions({ model: "m" }, { models: [], gpts: [] });
    expect(model).toMatchObject({ currentValue: "m", options: [{ value: "default" }, { value: "m" }] });
  });
});

describe("prompts of servers as commands", () => {
  const prompt = (name: string, ...names: string[]) => ({
    name,
    arguments: names.map((key) => ({ name: key.replace("?", ""), required: !key.endsWith("?") })),
    raw: {},
  });
  const offers = (server: string, ...prompts: ReturnType<typeof prompt>[]) => ({
    server,
    resources: [],
    templates: [],
    prompts,
  });

  it("T3.9 have one name each, without white space", () => {
    const commands = toPromptCommands([offers("my server", prompt("a b")), offers("my_server", prompt("a_b"))]);
    expect(commands.map(({ name }) => name)).toEqual(["my_server:a_b", "my_server:a_b-2"]);
  });

  it("show their arguments and are filled in by name or by position", () => {
    const [command] = toPromptCommands([offers("s", prompt("trip", "from", "to", "why?"))]);
    if (command === undefined) throw new Error("there is one prompt");
    expect(toAvailableCommand(command)).toMatchObject({ name: "s:trip", input: { hint: "<from> <to> [why]" } });
    const values = (typed: string) => fillArguments(command, typed);
    expect(values('Oslo "New York" to see it')).toEqual({
      kind: "filled",
      values: { from: "Oslo", to: "New York", why: "to see it" },
    });
    expect(values("to=Rome Oslo")).toEqual({ kind: "filled", values: { from: "Oslo", to: "Rome" } });
    expect(values("Oslo")).toEqual({
      kind: "incomplete",
      message: "/s:trip also needs: to. Type: /s:trip <from> <to> [why]",
    });
  });
});

describe("news of servers", () => {
  it.each([true, false])("S3.16 are sent once, with notices %s", (notices) => {
    const sent: SessionUpdate[] = [];
    let inTurn = false;
    const news = createServerNews({ notices, isInTurn: () => inTurn, send: (update) => void sent.push(update) });
    news.failed("s", "gone.");
    news.failed("s", "gone again");
    expect(sent).toHaveLength(notices ? 1 : 0);
    inTurn = true;
    news.flush();
    expect(sent).toHaveLength(1);
    expect(JSON.stringify(sent)).toContain("gone. Its tools are missing until it connects");
    news.recovered("s");
    news.failed("s", "down");
    expect(sent.map(({ sessionUpdate }) => sessionUpdate)).toEqual(
      notices ? ["notice", "notice"] : ["agent_message_chunk", "agent_message_chunk"],
    );
  });
});

it("pieces of text within a tick are sent as one update, in order with the others", async () => {
  const sent: SessionUpdate[] = [];
  const stream = createUpdateStream((update) => void sent.push(update));
  stream.text("agent_message_chunk", "a");
  stream.text("agent_message_chunk", "b");
  stream.text("agent_thought_chunk", "c");
  stream.send({ sessionUpdate: "session_info_update", title: "t" });
  stream.text("agent_message_chunk", "d");
  expect(sent).toHaveLength(3);
  await new Promise((resolve) => setImmediate(resolve));
  expect(sent).toMatchObject([
    { sessionUpdate: "agent_message_chunk", content: { text: "ab" } },
    { sessionUpdate: "agent_thought_chunk", content: { text: "c" } },
    { sessionUpdate: "session_info_update" },
    { sessionUpdate: "agent_message_chunk", content: { text: "d" } },
  ]);
});

it("a conversation is replayed in order, each call with its result", () => {
  const messageNumber = (number: number, message: SessionMessage["message"]): SessionMessage => ({
    sessionId: "s",
    number,
    at: "2026-01-01T00:00:00.000Z",
    message,
  });
  const call = { type: "call", id: "m1", tool: "read_file", arguments: { path: "a" } } as const;
  const messages = [
    messageNumber(1, { role: "user", parts: [{ type: "text", text: "hi" }] }),
    messageNumber(2, {
      role: "assistant",
      parts: [
        { type: "thought", text: "hm" },
        { type: "text", text: "wait" },
        { ...call, callId: "c1" },
      ],
    }),
    messageNumber(3, { role: "tool", results: [{ id: "m1", tool: "read_file", text: "content", isError: false }] }),
    messageNumber(4, { role: "assistant", parts: [call] }),
    messageNumber(5, { role: "tool", results: [{ id: "m1", tool: "read_file", text: "no", isError: true }] }),
  ];
  const session = { id: "s", title: "t", createdAt: "", updatedAt: "" };
  expect([...replayUpdates({ session, messages }, "/w")]).toMatchObject([
    { sessionUpdate: "user_message_chunk", content: { text: "hi" } },
    { sessionUpdate: "agent_thought_chunk", content: { text: "hm" } },
    { sessionUpdate: "agent_message_chunk", content: { text: "wait" } },
    { sessionUpdate: "tool_call", toolCallId: "c1", status: "completed", locations: [{ path: "/w/a" }] },
    { sessionUpdate: "tool_call", toolCallId: "4-m1", status: "failed" },
  ]);
});

it.each([
  [
    { session: { notices: {} }, elicitation: { form: {}, url: {} } },
    { notices: true, forms: true, urls: true },
  ],
  [
    { session: { notices: null }, elicitation: {} },
    { notices: false, forms: false, urls: false },
  ],
  [
    { session: "bad", elicitation: [] },
    { notices: false, forms: false, urls: false },
  ],
  [undefined, { notices: false, forms: false, urls: false }],
])("a client that says %j can %j", (messageNumber, abilities) => {
  expect(toAbilities(messageNumber)).toEqual(abilities);
});

it.each([
  [{ name: "zed", title: "Zed", version: "1" }, "Zed"],
  [{ name: "zed", title: null }, "zed"],
  [{ name: "zed", title: "" }, "zed"],
  [{ name: 3 }, undefined],
  ["zed", undefined],
  [undefined, undefined],
])("a client that introduces itself as %j is called %s", (clientInfo, name) => {
  expect(toClient(clientInfo, {}).name).toBe(name);
});

it.each([
  ["not-found", -32_002],
  ["invalid", -32_602],
  ["conflict", -32_600],
  ["cancelled", -32_800],
  ["unreachable", -32_603],
  ["damaged", -32_603],
] as const)("what the engine refuses as %s is error %i with its text", (code, rpcCode) => {
  expect(toRpcFailure({ code, message: "why" })).toMatchObject({ code: rpcCode, message: "why" });
});
