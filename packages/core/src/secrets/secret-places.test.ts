import { describe, expect, it } from "vitest";
import type { Launch } from "../domain/launch.ts";
import { type ServerDefinition, UNGOVERNED } from "../domain/server.ts";
import { secretsOf } from "./find-secrets.ts";
import { createRedactor } from "./redact.ts";

function withLaunch(launch: Launch): ServerDefinition {
  return { scope: "agent", key: "a", name: "a", launch, ...UNGOVERNED };
}

function secretsOfProgram(args: readonly string[], env: Readonly<Record<string, string>> = {}): readonly string[] {
  return secretsOf(withLaunch({ transport: "stdio", command: "x", args, env }));
}

function secretsOfRemote(url: string, headers: Readonly<Record<string, string>> = {}): readonly string[] {
  return secretsOf(withLaunch({ transport: "http", url, headers, authentication: { type: "none" } }));
}

describe("secrets that a program passes on to others", () => {
  it.each([
    [["-e", "GITHUB_TOKEN=ghp_12345"], ["ghp_12345"]],
    [
      ["--env", "API_KEY=key=12345", "--env=DB_PASSWORD=hunter22"],
      ["key=12345", "hunter22"],
    ],
    [["-e", "HOME=/home/somebody", "TOKEN=positional"], []],
    [
      ["--header", "Authorization: Bearer abcdefgh"],
      ["Bearer abcdefgh", "abcdefgh"],
    ],
    [["--header", "X-Api-Key:key-12345", "Note: nothing secret"], ["key-12345"]],
    [
      ["postgres://me:hunter22@db/shop", "--url=https://x.example/?token=token-12345"],
      ["hunter22", "postgres://me:hunter22@db/shop", "token-12345"],
    ],
  ])("%j", (args, secrets) => {
    expect(secretsOfProgram(args)).toEqual(secrets);
  });

  it("are also found in URLs in its environment, including a badly encoded password", () => {
    expect(secretsOfProgram([], { SERVICE: "https://x.example/?key=key-12345" })).toEqual(["key-12345"]);
    expect(secretsOfProgram([], { DATABASE: "mysql://me:100%sure!@db/x" })).toEqual([
      "100%sure!",
      "mysql://me:100%sure!@db/x",
    ]);
  });
});

describe("secrets in requests", () => {
  it("are passwords in URLs, cookies, and the decoded Basic credentials", () => {
    expect(secretsOfRemote("https://me:hunter22@x.example/mcp")).toEqual([
      "hunter22",
      "https://me:hunter22@x.example/mcp",
    ]);
    expect(secretsOfRemote("https://x.example", { Cookie: "a=1; sid=session-12345" })).toEqual([
      "a=1; sid=session-12345",
      "session-12345",
    ]);
    const basic = btoa("somebody:hunter22");
    expect(secretsOfRemote("https://x.example", { Authorization: `Basic ${basic}` })).toEqual([
      `Basic ${basic}`,
      basic,
      "somebody",
      "hunter22",
    ]);
    expect(secretsOfRemote("https://x.example", { Authorization: "Basic n!o" })).toEqual(["Basic n!o"]);
  });

  it("are redacted in a query however it is encoded", () => {
    const url = "https://x.example/mcp?token=a/b+c'd\"e";
    const redact = createRedactor(secretsOfRemote(url));
    for (const text of [url, new URL(url).href, "a/b c'd\"e", encodeURIComponent("a/b c'd\"e")])
      expect(redact(text)).toContain("[redacted]");
  });
});

describe("a secret is redacted", () => {
  const secret = 'p?ss "wörd"~1';
  const json = JSON.stringify(secret);

  it.each([
    ["as JSON in JSON", JSON.stringify({ body: JSON.stringify({ password: secret }) })],
    ["as JSON of ASCII alone", json.replace("ö", "\\u00f6")],
    ["in an address", encodeURI(`https://x.example/${secret}`)],
    [
      "in an address in an address",
      `?next=${encodeURIComponent(`https://x.example/?p=${encodeURIComponent(secret)}`)}`,
    ],
  ])("%s", (_how, text) => {
    expect(createRedactor([secret])(text)).toContain("[redacted]");
    expect(createRedactor([secret])(text)).not.toMatch(/p(\?|%3F|%253F)ss/);
  });
});
