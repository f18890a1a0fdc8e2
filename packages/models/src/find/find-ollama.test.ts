import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { findOllama } from "./find-ollama.ts";

/** Never aborts, since a busy machine may be slower than the usual time limit. */
const noTimeLimit = new AbortController().signal;

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const SHOWN: Readonly<Record<string, object>> = {
  "plain:1b": { capabilities: ["completion"] },
  "seer:8b": { capabilities: ["completion", "tools", "vision"], parameters: 'stop "x"\nnum_ctx    16384' },
  "embedder:1b": { capabilities: ["embedding"] },
};

it("finds the chat models of an Ollama, those that call tools first, as OLLAMA_HOST is written", async () => {
  const host = await listen((request, response) => {
    if (request.url === "/api/tags") {
      response.end(JSON.stringify({ models: [...Object.keys(SHOWN), "odd"].map((name) => ({ name })) }));
      return;
    }
    let body = "";
    request.on("data", (chunk) => {
      body += String(chunk);
    });
    request.on("end", () => {
      const shown = SHOWN[JSON.parse(body).model];
      if (shown === undefined) response.writeHead(404);
      response.end(JSON.stringify(shown ?? {}));
    });
  });
  const found = await findOllama(fetch, host, noTimeLimit);
  const shared = { vendor: "openai-compatible", baseUrl: `http://${host}/v1`, headers: {}, isDefault: false };
  const source = `Ollama at http://${host}`;
  expect(found).toEqual([
    { ...shared, name: "ollama/seer:8b", modelId: "seer:8b", vision: true, contextTokens: 16384, source },
    { ...shared, name: "ollama/plain:1b", modelId: "plain:1b", vision: false, source },
    { ...shared, name: "ollama/odd", modelId: "odd", source },
  ]);
});

it("finds none where nothing listens, nothing answers, or something else answers", async () => {
  const silent = await listen(() => undefined);
  const other = await listen((_request, response) => response.writeHead(500).end("<html>"));
  const html = await listen((_request, response) => response.end("<html>"));
  for (const host of ["127.0.0.1:1", silent, `http://${other}/`, html, "::nonsense::"]) {
    expect(await findOllama(fetch, host)).toEqual([]);
  }
});

it.each([
  [undefined, "http://127.0.0.1:11434/api/tags"],
  ["0.0.0.0", "http://127.0.0.1:11434/api/tags"],
  [":7000", "http://127.0.0.1:7000/api/tags"],
  ["box.local:80", "http://box.local/api/tags"],
  ["https://ollama.example/here/", "https://ollama.example/here/api/tags"],
])("reads the host %s as an address", async (host, expected) => {
  const asked: string[] = [];
  const fetcher: typeof fetch = (input) => {
    asked.push(input instanceof Request ? input.url : input.toString());
    return Promise.resolve(new Response("{}"));
  };
  await findOllama(fetcher, host);
  expect(asked).toEqual([expected]);
});

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
