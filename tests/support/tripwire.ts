import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { processesWithMarker } from "./processes.ts";
import { releaseAfterwards } from "./release.ts";
import { temporaryFolder } from "./workspace.ts";

/** Part of every secret in the entries; none may be printed. */
export const SECRET = "secret-canary";

/** Servers that must never be reached when the config has a mistake. */
export interface Tripwire {
  /** Entries for a map of servers, as YAML lines with this indentation. */
  servers(indentation: number): string;
  /** Entries for the list of servers in a toolbox file. */
  mcps(indentation: number): string;
  /** The environment variables the entries refer to. */
  readonly env: Readonly<Record<string, string>>;
  /** Servers that were started or called, or are still running. */
  touched(): readonly string[];
}

export async function setTripwire(): Promise<Tripwire> {
  const marker = `marker-${crypto.randomUUID()}`;
  const trace = join(await temporaryFolder(), "started");
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  releaseAfterwards(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  const url = `http://127.0.0.1:${address.port}/mcp?api_key=${SECRET}-query`;
  const credentials = `headers: {X-Key: ${SECRET}-header}, authentication: {type: bearer, token: ${SECRET}-token}`;
  return {
    servers: (indentation) =>
      indent(indentation, [
        `tripwire: {timeout: 5, command: sh, args: [-c, "touch ${trace}; sleep 600", ${marker}], env: {A: ${SECRET}-env, B: "\${TRIPWIRE}"}}`,
        `called: {transport: http, url: "${url}", ${credentials}}`,
      ]),
    mcps: (indentation) =>
      indent(indentation, [
        `- {name: called, url: "${url}", transport: streamable_http, mode: strict, ${credentials}}`,
      ]),
    env: { TRIPWIRE: `${SECRET}-variable` },
    touched: () => [
      ...(existsSync(trace) ? ["the program was started"] : []),
      ...(requests > 0 ? ["the address was called"] : []),
      ...processesWithMarker(marker).map((pid) => `process ${pid} is running`),
    ],
  };
}

function indent(indentation: number, lines: readonly string[]): string {
  return lines.map((line) => `${" ".repeat(indentation)}${line}\n`).join("");
}
