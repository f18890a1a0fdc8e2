import { beforeAll, describe, expect, it } from "vitest";
import { EXPIRED, OF_ANOTHER_HOST } from "../support/certificates.ts";
import { type Answer, answering, startOddHttp } from "../support/odd-http.ts";
import { OFFLINE } from "../support/offline.ts";
import { builtProgram, runProgram } from "../support/program.ts";
import { startProcess } from "../support/running-process.ts";
import { parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder, writeConfig } from "../support/workspace.ts";

const HTML = { "content-type": "text/html; charset=utf-8" };
const PAGE = "<!doctype html><html><head><title>Welcome to our wiki</title></head><body>Hi</body></html>";
const challenge = (text: string) => ({ "www-authenticate": text });

/** Refuses POST, as most websites do, and shows a page to whoever looks. */
const website: Answer = (request, response) =>
  request.method === "GET" ? answering(200, HTML, PAGE)(request, response) : answering(405, HTML)(request, response);

const ANSWERS: Readonly<Record<string, Answer>> = {
  "/html": answering(200, HTML, PAGE),
  "/website": website,
  "/sign-in": answering(
    401,
    challenge(
      'Bearer realm="acme", scope="files:read", resource_metadata="https://acme.example/.well-known/oauth-protected-resource"',
    ),
  ),
  "/refused": answering(401, challenge('Bearer error="invalid_token", error_description="The token expired"')),
  "/basic": answering(401, challenge('Basic realm="intranet"')),
  "/scope": answering(403, challenge('Bearer error="insufficient_scope", scope="files:write"')),
  "/forbidden": answering(403),
  "/moved": answering(302, { location: "https://login.example/start?from=here" }),
  "/renamed": answering(301, { location: "/mcp" }),
  "/proxy": answering(407, { "proxy-authenticate": "Basic" }),
  "/captive": answering(511, HTML, PAGE),
  "/broken": answering(500),
  "/gateway": answering(502, HTML, PAGE),
  "/rejected": answering(400, { "content-type": "application/json" }, '{"error":"tenant header missing"}'),
  "/api": answering(200, { "content-type": "application/json" }, '{"status":"ok"}'),
  "/torn": answering(200, { "content-type": "application/json" }, '{"jsonrpc":'),
  "/empty": answering(204),
  "/reset": (request) => void request.socket.resetAndDestroy(),
  "/silent": () => undefined,
};

/** What each server is, beyond its path, and what its cause must say. */
const ROWS: readonly (readonly [name: string, entry: Record<string, unknown>, cause: readonly string[]])[] = [
  ["html", {}, ["/html answered text/html, not MCP\n", 'a web page titled "Welcome to our wiki"', "usually at /mcp"]],
  ["website", {}, ["/website answered text/html, not MCP\n", "Check the path"]],
  [
    "sign-in",
    {},
    [
      "HTTP 401: Unauthorized\n",
      "no credentials were sent",
      'a Bearer token (realm "acme", scope "files:read")',
      "described at https://acme.example/.well-known/oauth-protected-resource.",
      'Authorization: "Bearer ${secret:SIGN_IN_TOKEN}"',
      "tacklebox secret set SIGN_IN_TOKEN",
    ],
  ],
  [
    "refused",
    { headers: { Authorization: "Bearer stale-token-1" } },
    ["HTTP 401", "refused the credentials it was sent", '"The token expired"', "tacklebox secret set NAME"],
  ],
  ["basic", {}, ['Basic credentials (realm "intranet")', "user:password, in base64"]],
  [
    "scope",
    { headers: { Authorization: "Bearer small-token-1" } },
    ["HTTP 403: Forbidden\n", 'needs the scope "files:write", which the credentials do not have'],
  ],
  ["forbidden", {}, ["HTTP 403: Forbidden\n", "no credentials were sent"]],
  ["nowhere", {}, ["HTTP 404: Not Found\n", "There is no MCP server at http", "/nowhere.", "/mcp, older ones at /sse"]],
  ["exact", { transport: "streamable-http" }, ["HTTP 404: Not Found\n", 'The transport "http" would try both.']],
  ["moved", {}, ["HTTP 302: Found\n", "redirects to https://login.example/start,", "was not followed"]],
  ["renamed", {}, ["HTTP 301", "/mcp in a way that drops the request. Use that address instead."]],
  ["proxy", {}, ["HTTP 407", "A proxy on the way asks for a sign-in; the server itself was not reached."]],
  ["captive", {}, ["HTTP 511", "Your network asks for a sign-in", "Open a web page in a browser"]],
  ["broken", {}, ["HTTP 500: Internal Server Error\n", "The server itself failed."]],
  ["gateway", {}, ["HTTP 502: Bad Gateway\n", "A gateway answered in place of the server"]],
  ["rejected", {}, ["HTTP 400: Bad Request\n", 'It says: "tenant header missing".']],
  ["api", {}, ["/api answered JSON, but not MCP\n"]],
  ["torn", {}, ["/torn answered what is not valid JSON, so not MCP\n"]],
  ["empty", {}, ["/empty answered nothing (HTTP 204), not MCP\n"]],
  ["reset", {}, ["(ECONNRESET)", "Check that the server is running, and whether its address should start with https:"]],
  ["silent", { timeout: 2 }, ["no answer within 2 s\n", "/silent is its address", '"timeout" in its config entry']],
  [
    "sse-page",
    { path: "/html", transport: "sse" },
    ["SSE connection failed: ", "/html answered text/html, not an event stream\n", 'set the transport to "http"'],
  ],
];

let causes: ReadonlyMap<string, string>;
let printed: string;

beforeAll(async () => {
  const origin = await startOddHttp(ANSWERS);
  const servers = ROWS.map(([name, { path = `/${name}`, ...entry }]) => [
    name,
    { url: `${origin}${String(path)}?key=canary-query-1`, transport: "http", reconnect: "never", ...entry },
  ]);
  const config = await toolboxFile({ servers: Object.fromEntries(servers) });
  const { stdout, stderr } = await runProgram(["servers", "--json", "--config", config]);
  printed = stdout + stderr;
  causes = causesIn(stdout);
});

function causesIn(stdout: string): ReadonlyMap<string, string> {
  const { servers } = parsed(stdout);
  if (!Array.isArray(servers)) throw new Error(`no servers: ${stdout}`);
  return new Map(servers.map(({ name, cause }) => [String(name), String(cause)]));
}

describe("an address that is not that of an MCP server one may use says what it is and what to do", () => {
  it.each(ROWS)("%s", (name, _entry, parts) => {
    const cause = causes.get(name) ?? "";
    for (const part of parts) expect(cause).toContain(part);
    expect(cause).not.toContain("modern protocol");
  });

  it("without any of the secrets that were sent", () => {
    for (const secret of ["canary-query-1", "stale-token-1", "small-token-1"]) expect(printed).not.toContain(secret);
  });
});

describe("a connection that cannot be made says why", () => {
  async function causeOf(url: string, env: Readonly<Record<string, string>> = {}): Promise<string | undefined> {
    const config = await toolboxFile({ servers: { it: { url, transport: "http", reconnect: "never" } } });
    const { stdout } = await runProgram(["servers", "--json", "--config", config], { env });
    return causesIn(stdout).get("it");
  }

  it("nothing is listening there", async () => {
    expect(await causeOf("http://127.0.0.1:1/mcp")).toBe(
      "Cannot reach http://127.0.0.1:1/mcp (ECONNREFUSED): nothing is listening there. Check that the server is running, and the port.",
    );
  });

  it("the certificate is self-signed, has expired, or is for another host", async () => {
    const folder = await temporaryFolder();
    const trusted = async ({ cert }: typeof EXPIRED) => ({
      NODE_EXTRA_CA_CERTS: await writeConfig(folder, `${crypto.randomUUID()}.pem`, cert),
    });
    const [expired, other] = await Promise.all([startOddHttp({}, EXPIRED), startOddHttp({}, OF_ANOTHER_HOST)]);
    expect(await causeOf(other)).toContain("its certificate is self-signed. If you trust it, name its file in");
    expect(await causeOf(expired, await trusted(EXPIRED))).toContain("its certificate has expired.");
    expect(await causeOf(other, await trusted(OF_ANOTHER_HOST))).toContain("its certificate is for another host name.");
  });

  it("one side speaks TLS and the other plain HTTP", async () => {
    const [plain, secure] = await Promise.all([startOddHttp({}), startOddHttp({}, EXPIRED)]);
    expect(await causeOf(plain.replace("http:", "https:"))).toContain(
      "it does not speak TLS. For plain HTTP write http: instead of https:",
    );
    expect(await causeOf(secure.replace("https:", "http:"))).toContain("whether its address should start with https:.");
  });

  it("no host has that name, or it cannot be looked up", async () => {
    const url = "http://no-such-host.invalid/mcp";
    const config = await toolboxFile({ servers: { it: { url, transport: "http", reconnect: "never" } } });
    const folder = await temporaryFolder();
    const args = [...OFFLINE.slice(1), process.execPath, builtProgram];
    const env = { PATH: process.env.PATH ?? "", HOME: folder, TACKLEBOX_DATA: `${folder}/data` };
    const running = await startProcess(OFFLINE[0] ?? "env", [...args, "servers", "--json", "--config", config], {
      cwd: folder,
      env,
    });
    const { stdout } = await running.exit;
    expect(causesIn(stdout).get("it")).toMatch(
      /^Cannot reach http:\/\/no-such-host\.invalid\/mcp \((?:ENOTFOUND|EAI_AGAIN)\): (?:there is no host of that name|the host name could not be looked up)\./,
    );
  });
});
