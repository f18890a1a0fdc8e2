import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createLeakyPeer } from "../fixtures/servers/protocol/leaky-peer.ts";
import { releaseAfterwards } from "../support/release.ts";

export interface LeakyHttp {
  readonly origin: string;
  /** The address and header values of every request, unchanged. */
  readonly received: readonly string[];
}

interface Request {
  /** The secrets in the request. */
  readonly values: readonly string[];
  /** Its address and headers, which contain them. */
  readonly quotes: readonly string[];
  readonly body: string;
}

type Respond = (request: Request, response: ServerResponse) => Promise<void> | void;

/**
 * Starts a server that repeats the headers and address of each request: /mcp speaks MCP, /denied and /broken refuse,
 * /tool is the endpoint of a custom tool, and /v1/chat/completions is a model.
 */
export async function startLeakyHttp(): Promise<LeakyHttp> {
  const received: string[] = [];
  const respond = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = await toRequest(incoming);
    received.push(...request.quotes);
    const [path = ""] = (incoming.url ?? "").split("?");
    await (RESPONSES[path] ?? RESPONSES["/broken"])?.(request, response);
  };
  const server = createServer((incoming, response) => void respond(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  releaseAfterwards(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

async function toRequest(incoming: IncomingMessage): Promise<Request> {
  const { url = "", headers } = incoming;
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  const all = Object.values(headers).flatMap((value) => value ?? []);
  const [scheme, credentials = ""] = (headers.authorization ?? "").split(" ");
  const basic = scheme === "Basic" ? Buffer.from(credentials, "base64").toString().split(":") : [];
  const parameters = new URL(url, "http://leaky").searchParams.values();
  return {
    values: [...all.filter((value) => !value.includes(" ")), credentials, ...basic, ...parameters],
    quotes: [url, ...all],
    body: Buffer.concat(chunks).toString(),
  };
}

const JSON_TYPE = { "content-type": "application/json" };

const RESPONSES: Readonly<Record<string, Respond>> = {
  async "/mcp"({ values, quotes, body }, response) {
    if (body === "") return void response.writeHead(405).end();
    const peer = createLeakyPeer({ values, quotes });
    const reply = await peer.answer(JSON.parse(body), () => undefined);
    response.writeHead(reply === undefined ? 202 : 200, JSON_TYPE).end(JSON.stringify(reply));
  },
  "/tool": (request, response) =>
    void response.writeHead(200, JSON_TYPE).end(JSON.stringify({ ...request, [request.quotes.join()]: true })),
  "/denied": ({ values, quotes }, response) =>
    void response
      .writeHead(401, { ...JSON_TYPE, "www-authenticate": `Bearer error="${values.map(encodeURIComponent).join()}"` })
      .end(JSON.stringify({ error: quotes })),
  "/broken": (request, response) => void response.writeHead(500, JSON_TYPE).end(JSON.stringify({ error: request })),
  "/v1/chat/completions": answerChat,
};

/** Calls a tool first, then repeats the request's address and headers in pieces of a few characters; refuses "fail". */
function answerChat({ quotes, body }: Request, response: ServerResponse): void {
  const { messages, tools = [] } = JSON.parse(body) as {
    messages: { role: string }[];
    tools?: { function: { name: string } }[];
  };
  if (JSON.stringify(messages).includes("fail, please")) {
    response.writeHead(400, JSON_TYPE).end(JSON.stringify({ error: { message: quotes.join(), type: "error" } }));
    return;
  }
  const tool = tools.find(({ function: { name } }) => name.includes("tell"))?.function.name;
  const isFirst = tool !== undefined && !messages.some(({ role }) => role === "tool");
  const call = {
    id: "c1",
    type: "function",
    function: { name: tool, arguments: JSON.stringify({ text: quotes.join() }) },
  };
  const pieces = quotes.join(" & ").match(/.{1,7}/gsu) ?? [];
  const deltas = [
    ...pieces.map((text) => ({ reasoning_content: text })),
    ...pieces.map((content) => ({ content })),
    ...(isFirst ? [{ tool_calls: [{ index: 0, ...call }] }] : []),
  ];
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const delta of deltas) response.write(toEvent({ delta, finish_reason: null }));
  response.end(`${toEvent({ delta: {}, finish_reason: isFirst ? "tool_calls" : "stop" })}data: [DONE]\n\n`);
}

function toEvent(choice: object): string {
  const chunk = {
    id: "1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, ...choice }],
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
