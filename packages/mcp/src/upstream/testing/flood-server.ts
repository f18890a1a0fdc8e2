import { spawn } from "node:child_process";

/** Ways to answer with far more than anybody can want. */
export const floods = ["gzip", "json", "pieces", "event", "error"] as const;
export type Flood = (typeof floods)[number];

/**
 * A legacy Streamable HTTP server in a process of its own, so that only what its client holds counts in ours.
 * It floods whoever calls a tool named after a flood, and all requests of one method when `drown` names both;
 * every other call it answers properly.
 */
const source = `
  import http from "node:http";
  import { gzipSync } from "node:zlib";
  const [flood, drowned] = process.argv.slice(1);
  const MB = 1024 * 1024;
  const block = Buffer.alloc(MB, "0");
  // Compressed pieces one after the other are read as one text: 200 KB that become 200 MB.
  const bomb = Buffer.concat(Array(20).fill(gzipSync(Buffer.alloc(10 * MB, "0"))));
  // Chunks of 8 bytes: whoever keeps a list of them needs gigabytes.
  const pieces = Buffer.from("8\\r\\n00000000\\r\\n".repeat(MB / 8));
  const pour = async (response, times, bytes = block) => {
    let wake = () => {};
    response.on("drain", () => wake()).on("close", () => wake());
    for (let i = 0; i < times && !response.destroyed; i += 1) {
      if (!response.write(bytes)) await new Promise((resolve) => (wake = resolve));
    }
    response.end();
  };
  const answers = {
    gzip: (response) => response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(bomb),
    json: (response) => pour(response.writeHead(200, { "content-type": "application/json" }), 200),
    pieces: ({ socket }) => (socket.write("HTTP/1.1 200 OK\\r\\ncontent-type: application/json\\r\\ntransfer-encoding: chunked\\r\\n\\r\\n"), pour(socket, 20, pieces)),
    event: (response) => (response.writeHead(200, { "content-type": "text/event-stream" }).write("data: "), pour(response, 200)),
    error: (response) => pour(response.writeHead(500), 50),
  };
  const results = {
    initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "flood", version: "1" } },
    "tools/list": { tools: [] },
    "tools/call": { content: [] },
  };
  const server = http.createServer(async (request, response) => {
    response.on("error", () => {});
    let body = "";
    for await (const chunk of request) body += chunk;
    if (request.method !== "POST") return response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body);
    if (id === undefined) return response.writeHead(202).end();
    const kind = method === drowned ? flood : params?.name;
    if (answers[kind]) return answers[kind](response);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...(results[method] ? { result: results[method] } : { error: { code: -32601, message: "no" } }) }));
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

export interface FloodServer {
  readonly url: string;
  kill(): void;
}

export async function startFloodServer(drown?: { kind: Flood; method: string }): Promise<FloodServer> {
  const args = ["--input-type=module", "-e", source, "--", ...(drown === undefined ? [] : [drown.kind, drown.method])];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], env: {} });
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().trim()));
    child.once("exit", (code) => reject(new Error(`the flood server ended with ${code} before it listened`)));
  });
  return { url: `http://127.0.0.1:${port}`, kill: () => void child.kill("SIGKILL") };
}
