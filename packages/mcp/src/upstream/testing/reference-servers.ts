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

/** Starts the reference server on a free port and waits until it listens. */
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

/** One half of the ports set aside for tests; tests/support uses the other. */
const PORTS = { first: 26_000, count: 6_000 };
/** Starts far from the other test workers, whose process ids are close to this one's. */
let chosen = process.pid * 97;

/**
 * A port that nothing listens on. It is below 32768, where systems start handing out ephemeral ports, so it stays free.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    // Sequential rather than random: two servers that start at the same time must not get the same port.
    chosen += 1;
    const port = PORTS.first + (chosen % PORTS.count);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

/** The path of a file in an installed package, even if the package does not export it. */
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
