import { beforeAll, describe, expect, it } from "vitest";
import { modelEntry, startScriptedVendor } from "../support/model-servers.ts";
import { runProgram } from "../support/program.ts";
import { answer, calls } from "../support/run-lines.ts";
import { toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { bytesOf, tellingServer } from "./telling-server.ts";

const PLACES = [
  "database URL",
  "header",
  "joined header",
  "glued header",
  "password flag",
  "token flag",
  "container variable",
  "login",
  "connection string",
  "command",
  "storage key",
  "parameters",
  "headers as JSON",
  "plain variable",
  "variable in an argument",
  "key as user",
] as const;
const CANARIES = new Map(PLACES.map((place) => [place, `c${crypto.randomUUID().replaceAll("-", "")}`] as const));
const of = (place: (typeof PLACES)[number]): string => CANARIES.get(place) ?? "";
/** Only digits: as a JSON number it is not a text any more. */
const PIN = String(10_000_000_000 + Math.floor(Math.random() * 80_000_000_000));

/** The places whose secret is in a text, as it is or in the base64 of something longer. */
function leaksIn(text: string): string[] {
  const decoded = Array.from(text.matchAll(/[A-Za-z0-9+/]{40,}/g), ([found]) =>
    Buffer.from(found, "base64").toString("latin1"),
  );
  const whole = [text, ...decoded].join("\n");
  return [
    ...[...CANARIES].filter(([, canary]) => whole.includes(canary)).map(([place]) => place),
    ...(whole.includes(PIN) ? ["pin"] : []),
  ];
}

async function secretServers() {
  const args = [
    `postgresql://u:${of("database URL")}@db.example/shop`,
    "--header",
    `Authorization: Bearer ${of("header")}`,
    `--header=X-Anything: ${of("joined header")}`,
    `-HX-Glued: ${of("glued header")}`,
    "--password",
    of("password flag"),
    `--token=${of("token flag")}`,
    "-e",
    `API_TOKEN=${of("container variable")}`,
    "-u",
    `me:${of("login")}`,
    `Server=db;User Id=sa;Password=${of("connection string")};Encrypt=true`,
    `exec serve --password ${of("command")} --port 80`,
    "${ONE_MORE}",
    "/srv/projects",
    "localhost",
  ];
  const env = {
    STORAGE: `AccountName=shop;AccountKey=${of("storage key")};EndpointSuffix=core.example`,
    PARAMETERS: `host=db user=me password='${of("parameters")}' dbname=shop`,
    HEADERS: JSON.stringify({ Authorization: `Bearer ${of("headers as JSON")}`, Version: "2022-06-28" }),
    SENDER: `https://${of("key as user")}@errors.example/7`,
    FLAVOUR: "${HARMLESS}",
    PIN_TOKEN: PIN,
    MODE: "${STAGE}",
    FOLDER: "${WORK}",
  };
  return {
    told: await tellingServer(args, env),
    dying: { ...(await tellingServer([...args, "--die"], env)), reconnect: "never" },
  };
}

const ENVIRONMENT = {
  HARMLESS: of("plain variable"),
  ONE_MORE: of("variable in an argument"),
  STAGE: "production",
  WORK: "/home/ada/projects",
};

describe("F8, T30: credentials where people put them", () => {
  let config: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    config = await toolboxFile({ servers: await secretServers() });
    env = { ...ENVIRONMENT, TACKLEBOX_DATA: await temporaryFolder() };
  });

  const debug = (...args: string[]) => runProgram([...args, "--config", config, "--log-level", "debug"], { env });

  it.each([
    ["call", "told", "tell"],
    ["call", "told", "tell", "--json"],
    ["call", "told", "fail"],
    ["call", "told", "tell", "--args", `{"at": "I typed ${of("database URL")}"}`],
    ["servers"],
    ["servers", "--json"],
    ["tools"],
    ["tools", "--json"],
    ["why", "tell"],
    ["search", "tell something"],
    ["check", "--json"],
    ["doctor"],
    ["resources"],
    ["resources", "--json"],
    ["prompts", "--json"],
    ["read", "told", "x://one"],
    ["calls", "--json"],
    ["trust", "told", "--yes"],
  ])("F8: are in nothing that %j prints or logs", async (...args) => {
    const { code, stdout, stderr } = await debug(...args);
    expect(leaksIn(stdout + stderr)).toEqual([]);
    // Not a mistake in the command itself. `fail` fails, and one of the servers cannot be asked for what it offers.
    expect([0, 3]).toContain(code);
  });

  it.each([
    ["mcpServers", (servers: object) => ({ mcpServers: servers })],
    ["Zed", (servers: object) => ({ context_servers: servers })],
    ["VS Code", (servers: object) => ({ inputs: [], servers })],
    ["a gateway", (servers: object) => ({ tools: { mcp_servers: servers } })],
  ])("F8: are redacted whatever dialect the config is in: %s", async (_dialect, write) => {
    const { told } = await secretServers();
    const file = await toolboxFile(write({ told }));
    const data = await temporaryFolder();
    const own = { env: { ...env, TACKLEBOX_DATA: data } };
    for (const args of [["call", "told", "tell"], ["call", "told", "tell", "--json"], ["tools"], ["calls", "--json"]]) {
      const { code, stdout, stderr } = await runProgram([...args, "--config", file, "--log-level", "debug"], own);
      expect([code, leaksIn(stdout + stderr)]).toEqual([0, []]);
    }
    expect(leaksIn(await bytesOf(data))).toEqual([]);
  });

  it("F8: are in no file of the data folder", async () => {
    await debug("call", "told", "tell");
    expect(leaksIn(await bytesOf(env.TACKLEBOX_DATA ?? ""))).toEqual([]);
  });

  it("F8: are redacted in a result, in which ordinary values stay", async () => {
    const { stdout } = await debug("call", "told", "tell", "--json");
    expect(stdout).toContain('"pin":"[redacted]"');
    for (const plain of ["production", "/home/ada/projects", "/srv/projects", "localhost", "2022-06-28"])
      expect(stdout).toContain(plain);
  });

  it("T30: reach no model", async () => {
    const vendor = await startScriptedVendor("openai chat", [calls(["tell", {}]), answer("Nothing.")]);
    const models = { m: modelEntry("openai chat", vendor.url) };
    const file = await toolboxFile({ models, servers: await secretServers() });
    const { code, stdout, stderr } = await runProgram(["run", "go", "--json", "--config", file], { env });
    expect([code, vendor.requests.length]).toEqual([0, 2]);
    const requests = vendor.requests.map(({ body }) => body).join("\n");
    expect(requests).toContain("[redacted]");
    expect(leaksIn(requests + stdout + stderr)).toEqual([]);
  });
});
