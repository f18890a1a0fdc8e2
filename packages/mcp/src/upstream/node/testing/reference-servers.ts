import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import path from "node:path";

const require = createRequire(import.meta.url);

export const everything = programOf("@modelcontextprotocol/server-everything", "dist/index.js");

export interface HttpReferenceServer {
  readonly url: string;
  kill(): void;
}

/** Starts the reference server on a free port and waits until it says that it listens. */
export async function startEverything(mode: "streamableHttp" | "sse"): Promise<HttpReferenceServer> {
  const port = await freePort();
  const child = spawn(process.execPath, [everything, mode], {
    env: { PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  await new Promise<void>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`server-everything ended with ${code} before it listened`)));
    child.stderr.on("data", (chunk: Buffer) => {
      if (/port/i.test(chunk.toString())) resolve();
    });
  });
  const place = mode === "sse" ? "sse" : "mcp";
  return { url: `http://127.0.0.1:${port}/${place}`, kill: () => void child.kill("SIGKILL") };
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** The path of a file of an installed package, whatever the package exports. */
export function programOf(name: string, file: string): string {
  const root = require.resolve.paths(name)?.map((folder) => path.join(folder, name)) ?? [];
  const found = root.find((folder) => {
    try {
      return require.resolve(path.join(folder, "package.json")) !== "";
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new Error(`${name} is not installed`);
  return path.join(found, file);
}
