import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import { freePort } from "./free-port.ts";

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
