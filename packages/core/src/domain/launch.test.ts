import { describe, expect, it } from "vitest";
import { secretsOf } from "../secrets/find-secrets.ts";
import { createRedactor } from "../secrets/redact.ts";
import { fillSecretNames, secretNamesIn } from "../secrets/secret-reference.ts";
import {
  factsOf,
  type HttpTarget,
  isLaunchOf,
  Launch,
  type LaunchOf,
  startedIn,
  TRANSPORTS,
  Transport,
  TransportInUse,
} from "./launch.ts";

const TARGET: HttpTarget = {
  url: "https://x.example/mcp?token=canary-in-query",
  headers: { Authorization: "Bearer canary-in-header" },
  authentication: { type: "bearer", token: "canary-in-authentication" },
};

/** One launch per transport, with a canary wherever a credential is possible. */
const LAUNCHES: { readonly [T in Transport]: LaunchOf<T> } = {
  stdio: {
    transport: "stdio",
    command: "files",
    args: ["--token", "canary-in-args"],
    env: { API_KEY: "canary-in-env" },
  },
  http: { transport: "http", ...TARGET },
  "streamable-http": { transport: "streamable-http", ...TARGET },
  sse: { transport: "sse", ...TARGET },
  local: { transport: "local" },
  custom: { transport: "custom", tools: [{ name: "a", description: "", inputSchema: { type: "object" }, ...TARGET }] },
};

const CANARY = /canary-[a-z-]+/g;

function canariesIn(value: unknown): string[] {
  return [...new Set(JSON.stringify(value).match(CANARY))].sort();
}

describe.each(Transport.options)("a launch over %s", (transport) => {
  const launch: Launch = LAUNCHES[transport];
  const canaries = canariesIn(launch);

  it("is parsed by the schema of its transport, which has a row in the table", () => {
    expect(Launch.parse(launch)).toEqual(launch);
    expect(factsOf(launch)).toBe(TRANSPORTS[transport]);
    expect(isLaunchOf(launch, [transport])).toBe(true);
  });

  it("has no credential that is not redacted", () => {
    const redact = createRedactor(secretsOf({ launch }));
    expect(canariesIn(redact(JSON.stringify(launch)))).toEqual([]);
  });

  it("may refer to a stored secret for each credential, which is filled in there", () => {
    const text = JSON.stringify(launch).replace(CANARY, (canary) => `\${secret:${canary}}`);
    const referring = Launch.parse(JSON.parse(text));
    expect(secretNamesIn(referring).sort()).toEqual(canaries);
    expect(secretsOf({ launch: referring })).toEqual([]);
    expect(fillSecretNames(referring, new Map(canaries.map((canary) => [canary, canary])))).toEqual(launch);
  });

  it("has no credential in its address or its identity", () => {
    expect(canariesIn(factsOf(launch).address(launch))).toEqual([]);
    const stdioArguments = factsOf(launch).program === undefined ? [] : ["canary-in-args"];
    expect(canariesIn(factsOf(launch).identity(launch))).toEqual(stdioArguments);
    expect(canariesIn([...(factsOf(launch).toolIdentities?.(launch) ?? [])])).toEqual([]);
  });
});

describe("a folder to start in", () => {
  it("is used by launches that start a program and name none", () => {
    expect(startedIn(LAUNCHES.stdio, "/here")).toEqual({ ...LAUNCHES.stdio, cwd: "/here" });
    expect(startedIn({ ...LAUNCHES.stdio, cwd: "/own" }, "/here")).toEqual({ ...LAUNCHES.stdio, cwd: "/own" });
    expect(startedIn(LAUNCHES.http, "/here")).toBe(LAUNCHES.http);
  });
});

describe("addresses for people", () => {
  it.each<[Launch, string]>([
    [LAUNCHES.stdio, "files"],
    [{ ...LAUNCHES.http, url: "https://me:secret@x.example/mcp?key=1#there" }, "https://x.example/mcp"],
    [LAUNCHES.local, "this process"],
    [LAUNCHES.custom, "the endpoints in custom_tools"],
  ])("%#: have neither a query nor a password", (launch, address) => {
    expect(factsOf(launch).address(launch)).toBe(address);
  });
});

it("a connection can use every transport except `http`, which only tries the others", () => {
  expect(TransportInUse.options).toEqual(Transport.options.filter((transport) => transport !== "http"));
});
