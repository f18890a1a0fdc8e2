import { spawn } from "node:child_process";

/** Ways to answer with far more data than any client could want. */
export const floods = ["gzip", "json", "pieces", "event", "error"] as const;
export type Flood = (typeof floods)[number];

/**
 * A legacy Streamable HTTP server in its own process, so that our process only measures what the client holds.
 * It floods calls of a tool named after a flood, and all requests of the method given in `flooded`. It answers
 * everything else properly.
 */
const source = `
  import http from "node:http";
  import { gzipSync } from "node:zlib";
  const [flood, floodedMethod] = process.argv.slice(1);
  const MB = 1024 * 1024;
  const block = Buffer.alloc(MB, "0");
  // Concatenated gzip members decompress to one text: 200 KB become 200 MB.
  const bomb = Buffer.concat(Array(20).fill(gzipSync(Buffer.alloc(10 * MB, "0"))));
  // Chunks of 8 bytes: a client that keeps a list of them needs gigabytes.
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
    const kind = method === floodedMethod ? flood : params?.name;
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

export async function startFloodServer(flooded?: { kind: Flood; method: string }): Promise<FloodServer> {
  const args = [
    "--input-type=module",
    "-e",
    source,
    "--",
    ...(flooded === undefined ? [] : [flooded.kind, flooded.method]),
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], env: {} });
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().trim()));
    child.once("exit", (code) => reject(new Error(`the flood server ended with ${code} before it listened`)));
  });
  return { url: `http://127.0.0.1:${port}`, kill: () => void child.kill("SIGKILL") };
}
