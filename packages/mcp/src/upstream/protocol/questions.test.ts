import type { Connection, ElicitationAnswer, ElicitationRequest, OpenOptions } from "@tacklebox/core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createStdioConnector } from "../stdio/stdio-connector.ts";
import {
  callOf,
  clientInfo,
  connectionFailure,
  definitionOf,
  neverAborted,
  observe,
  remote,
  script,
} from "../testing/definitions.ts";
import { eventually } from "../testing/eventually.ts";
import { createHttpFixture } from "../testing/http-fixture.ts";
import { everything, type HttpReferenceServer, startEverything } from "../testing/reference-servers.ts";
import { legacyServer, listen, modernServer, sendResult, sendStatus } from "../testing/scripted-server.ts";

const { connector: http, open, servers } = createHttpFixture({ afterEach, afterAll });
const stdio = createStdioConnector({ clientInfo, environment: process.env });

type Answers = Pick<OpenOptions, "elicit" | "roots">;

/** A person who gives the same answer to every question; records what was asked. */
function person(answer: ElicitationAnswer): { asked: ElicitationRequest[]; elicit: NonNullable<Answers["elicit"]> } {
  const asked: ElicitationRequest[] = [];
  return {
    asked,
    elicit: async (request) => {
      asked.push(request);
      return answer;
    },
  };
}

const accept = { kind: "accept", content: { name: "Ada" } } as const;

describe.each(["stdio", "streamable-http", "sse"] as const)("questions of a legacy server over %s", (transport) => {
  let server: HttpReferenceServer | undefined;
  beforeAll(async () => {
    if (transport !== "stdio") server = await startEverything(transport === "sse" ? "sse" : "streamableHttp");
  });
  afterAll(() => server?.kill());

  async function start(answers: Answers): Promise<Connection> {
    const { options } = observe(undefined, answers);
    const launch = { transport: "stdio", command: process.execPath, args: [everything], env: {} } as const;
    const opening =
      server === undefined
        ? stdio.open(definitionOf(launch), options, neverAborted())
        : http.open(remote(transport === "stdio" ? "http" : transport, server.url), options, neverAborted());
    const connection = await opening;
    open.push(connection);
    return connection;
  }

  it("reach a person as a form, and the answer reaches the tool", async () => {
    const { asked, elicit } = person(accept);
    const connection = await start({ elicit });
    const { content } = await connection.callTool(callOf("trigger-elicitation-request")).answer;
    expect(asked).toMatchObject([
      { kind: "form", server: "under-test", message: "Please provide inputs for the following fields:" },
    ]);
    expect(JSON.stringify(content)).toContain("- Name: Ada");
  });

  it("T10 reach a person as an address only if it is safe to open", async () => {
    const { asked, elicit } = person({ kind: "accept", content: {} });
    const connection = await start({ elicit });
    const ask = async (url: string) => {
      const call = callOf("trigger-url-elicitation", { arguments: { url, message: "open it" } });
      return JSON.stringify((await connection.callTool(call).answer).content);
    };
    expect(await ask("https://example.test/sign-in")).toContain("User completed");
    expect(await ask("http://127.0.0.1:9/x")).toContain("User completed");
    for (const url of ["http://example.test/", "file:///etc/passwd", "javascript:alert(1)", "calculator://x"]) {
      expect(await ask(url)).toContain("declined");
    }
    expect(asked).toEqual([
      { kind: "url", server: "under-test", message: "open it", url: "https://example.test/sign-in" },
      { kind: "url", server: "under-test", message: "open it", url: "http://127.0.0.1:9/x" },
    ]);
  });

  it("about URLs to open first are asked before the call is made again", async () => {
    const { asked, elicit } = person({ kind: "accept", content: {} });
    const connection = await start({ elicit });
    const call = callOf("trigger-url-elicitation", { arguments: { url: "https://example.test/pay", errorPath: true } });
    const { content } = await connection.callTool(call).answer;
    expect(JSON.stringify(content)).toContain("User completed");
    expect(asked.map((request) => request.kind === "url" && request.url)).toEqual([
      "https://modelcontextprotocol.io/",
      "https://example.test/pay",
    ]);
  });

  it("about roots are answered with the configured ones", async () => {
    const connection = await start({ roots: async () => [{ uri: "file:///home/ada/work", name: "work" }] });
    await eventually(async () => {
      const { content } = await connection.callTool(callOf("get-roots-list")).answer;
      expect(JSON.stringify(content)).toContain("file:///home/ada/work");
    });
  });

  it("T1.13 are not declared if no one answers them", async () => {
    const connection = await start({});
    const names = JSON.stringify((await connection.listTools(neverAborted())).entries);
    for (const tool of ["trigger-elicitation-request", "trigger-url-elicitation", "get-roots-list"]) {
      expect(names).not.toContain(`"${tool}"`);
    }
  });
});

describe("questions of a server that asks although no capability was declared", () => {
  const asker = (method: string) => `
    import { createInterface } from "node:readline";
    const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
    let call;
    createInterface({ input: process.stdin }).on("line", (line) => {
      const message = JSON.parse(line);
      if (message.method === "initialize")
        send({ id: message.id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "asker", version: "1" } } });
      else if (message.method === "tools/call") {
        call = message.id;
        send({ id: "q", method: "${method}", params: { message: "who?", requestedSchema: { type: "object", properties: {} }, messages: [], maxTokens: 1 } });
      } else if (message.id === "q") send({ id: call, result: { content: [{ type: "text", text: JSON.stringify(message.result ?? message.error) }] } });
      else if (message.id !== undefined) send({ id: message.id, error: { code: -32601, message: "Method not found" } });
    });`;

  it.each([
    ["elicitation/create", '{"action":"decline"}'],
    ["sampling/createMessage", '{"code":-32601,"message":"Method not found"}'],
    ["roots/list", '{"code":-32601,"message":"Method not found"}'],
  ])("%s is answered with %s", async (method, text) => {
    const connection = await stdio.open(script(asker(method)), observe().options, neverAborted());
    open.push(connection);
    expect((await connection.callTool(callOf("ask")).answer).content).toEqual([{ type: "text", text }]);
  });

  it("T1.13 get capabilities declared for exactly those that are answered", async () => {
    const server = await listen(legacyServer((_, response) => sendStatus(response, 500)));
    servers.push(server);
    const { elicit } = person(accept);
    for (const answers of [{}, { elicit }, { roots: async () => [] }]) {
      const definition = { ...remote("streamable-http", server.url), protocol: "legacy" } as const;
      open.push(await http.open(definition, observe(undefined, answers).options, neverAborted()));
    }
    const declared = server.received.filter(({ message }) => message.method === "initialize");
    expect(declared.map(({ message }) => message.params?.capabilities)).toEqual([
      {},
      { elicitation: { form: {}, url: {} } },
      { roots: {} },
    ]);
  });
});

describe("a modern server that asks for input instead of answering", () => {
  const form = { method: "elicitation/create", params: { message: "who?", requestedSchema: { type: "object" } } };
  const asking = (inputRequests: object, requestState = "state") => ({
    resultType: "input_required",
    inputRequests,
    requestState,
  });
  const done = { resultType: "complete", content: [{ type: "text", text: "done" }] };

  /** Answers the n-th request with the n-th reply, and repeats the last one. */
  async function start(replies: readonly object[], answers: Answers = {}) {
    let count = 0;
    const server = await listen(
      modernServer((received, response) => {
        const reply = replies[Math.min(count, replies.length - 1)] ?? {};
        count += 1;
        sendResult(response, received, reply);
      }),
    );
    servers.push(server);
    const definition = { ...remote("streamable-http", server.url), protocol: "modern" } as const;
    const connection = await http.open(definition, observe(undefined, answers).options, neverAborted());
    open.push(connection);
    const legs = () =>
      server.received
        .filter(({ message }) => message.method !== "server/discover")
        .map(({ message: { params } }) => ({
          inputResponses: params?.inputResponses,
          requestState: params?.requestState,
        }));
    return { connection, legs, server };
  }
  const first = { inputResponses: undefined, requestState: undefined };

  it("is asked again with the person's answers and its own state", async () => {
    const { asked, elicit } = person(accept);
    const { connection, legs } = await start([asking({ who: form }), asking({ more: form }, "next"), done], { elicit });
    const call = connection.callTool(callOf("ask"));
    expect((await call.answer).content).toEqual(done.content);
    await call.finished;
    expect(asked).toHaveLength(2);
    const given = { action: "accept", content: { name: "Ada" } };
    expect(legs()).toEqual([
      first,
      { inputResponses: { who: given }, requestState: "state" },
      { inputResponses: { more: given }, requestState: "next" },
    ]);
  });

  it("gets the answer that the person declined", async () => {
    const { connection, legs } = await start([asking({ who: form }), done], person({ kind: "decline" }));
    expect((await connection.callTool(callOf("ask")).answer).content).toEqual(done.content);
    expect(legs()[1]).toEqual({ inputResponses: { who: { action: "decline" } }, requestState: "state" });
  });

  it("T24 is asked five times at most, however willing the person is", async () => {
    const { connection, legs } = await start([asking({ who: form })], person(accept));
    const error = await connectionFailure(connection.callTool(callOf("ask")).answer);
    expect([error.code, error.message]).toEqual([
      "protocol-error",
      "The server asked for input 5 times without finishing the call.",
    ]);
    expect(legs()).toHaveLength(5);
  });

  it("T24 gets exactly one request if no one can be asked, and the error says what it asked", async () => {
    const { connection, legs } = await start([asking({ who: form })]);
    const error = await connectionFailure(connection.callTool(callOf("ask")).answer);
    expect([error.code, error.message]).toEqual([
      "protocol-error",
      'The server asks "who?", and nobody can be asked here; the call was not made again.',
    ]);
    expect(legs()).toEqual([first]);
  });

  it("T24 gets exactly one request if it only wants the call repeated", async () => {
    const { connection, legs } = await start([{ resultType: "input_required", requestState: "again" }], person(accept));
    const error = await connectionFailure(connection.callTool(callOf("ask")).answer);
    expect([error.code, error.message]).toEqual([
      "protocol-error",
      "The server wants the call to be made again without asking for anything; it was not made again.",
    ]);
    expect(legs()).toEqual([first]);
  });

  it("T10 T24 gets exactly one request if it asks about an address no one should open", async () => {
    const { asked, elicit } = person(accept);
    const unsafe = { method: "elicitation/create", params: { mode: "url", message: "x", url: "file:///etc/passwd" } };
    const { connection, legs } = await start([asking({ open: unsafe })], { elicit });
    const error = await connectionFailure(connection.callTool(callOf("ask")).answer);
    expect([error.code, error.message]).toEqual([
      "protocol-error",
      "The server asks for something that nobody should be asked; the call was not made again.",
    ]);
    expect([asked, legs()]).toEqual([[], [first]]);
  });

  it("T24 gets the roots it asks for once, not repeatedly", async () => {
    const roots = async () => [{ uri: "file:///work" }];
    const { connection, legs } = await start([asking({ where: { method: "roots/list" } })], { roots });
    expect((await connectionFailure(connection.callTool(callOf("ask")).answer)).code).toBe("protocol-error");
    expect(legs()).toHaveLength(2);
  });

  it("may have run if it goes away before it gets the answer", async () => {
    const test = await start([asking({ who: form })], {
      elicit: async () => {
        await test.server.close();
        return accept;
      },
    });
    expect((await connectionFailure(test.connection.callTool(callOf("ask")).answer)).code).toBe("interrupted");
  });

  it("gets no sampling, and the call ends at once", async () => {
    const sampling = { method: "sampling/createMessage", params: {} };
    const { connection, legs } = await start([asking({ sample: sampling })], person(accept));
    const error = await connectionFailure(connection.callTool(callOf("ask")).answer);
    expect([error.code, error.message]).toEqual([
      "protocol-error",
      "The server asks for something during the call that this program does not offer.",
    ]);
    expect(legs()).toHaveLength(1);
  });

  it("is no longer waited for if the call is cancelled while a person thinks", async () => {
    let thinking: AbortSignal | undefined;
    const elicit: Answers["elicit"] = (_, signal) => {
      thinking = signal;
      return new Promise(() => undefined);
    };
    const { connection, legs } = await start([asking({ who: form })], { elicit });
    const controller = new AbortController();
    const call = connection.callTool(callOf("ask", { signal: controller.signal }));
    await eventually(() => expect(thinking).toBeDefined());
    controller.abort();
    expect((await connectionFailure(call.answer)).code).toBe("cancelled");
    await call.finished;
    expect([thinking?.aborted, legs().length]).toEqual([true, 1]);
  });

  it("may ask before it returns a resource or a prompt, and gets roots", async () => {
    const roots = async () => [{ uri: "file:///work" }];
    const contents = { resultType: "complete", contents: [{ uri: "a://b", text: "hello" }] };
    const { connection, legs } = await start([asking({ where: { method: "roots/list" } }), contents], { roots });
    expect(await connection.readResource("a://b", neverAborted())).toEqual([
      { kind: "text", uri: "a://b", text: "hello" },
    ]);
    expect(legs()[1]?.inputResponses).toEqual({ where: { roots: [{ uri: "file:///work" }] } });
  });
});
