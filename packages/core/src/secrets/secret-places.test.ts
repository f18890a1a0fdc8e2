import { describe, expect, it } from "vitest";
import type { Launch } from "../domain/launch.ts";
import { type ServerDefinition, UNGOVERNED } from "../domain/server.ts";
import { secretsOf, unredactedCredentialsOf } from "./find-secrets.ts";
import { createKnownSecrets } from "./known-secrets.ts";
import { createRedactor } from "./redact.ts";
import { toBase64 } from "./secret-forms.ts";
import { isSecretVariableValue, whyNotRedactedVariable } from "./variable-secrets.ts";

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
    [["-e", "HOME=/home/somebody", "TOKEN=positional"], ["positional"]],
    [
      ["-eAPI_TOKEN=glued-123", "-HX-Any: glued-456", "--header=X-Other: glued-789"],
      ["glued-123", "glued-456", "glued-789"],
    ],
    [
      ["-u", "me:hunter22", "--user=you:hunter33"],
      ["hunter22", "hunter33"],
    ],
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

describe("F8 credentials where people put them", () => {
  it.each([
    ["a connection string", "Server=db;User Id=sa;Password=hunter22;Encrypt=true", "hunter22"],
    ["a quoted one", "Driver={SQL};Pwd='hunter 22';", "hunter 22"],
    [
      "the key of a storage account",
      "AccountName=shop;AccountKey=aGVsbG8gd29ybGQ=;EndpointSuffix=core",
      "aGVsbG8gd29ybGQ=",
    ],
    ["a signature", "Endpoint=sb://x/;SharedAccessKeyName=Root;SharedAccessKey=abc123xyz=", "abc123xyz="],
    ["JDBC", "jdbc:sqlserver://db;user=sa;password=hunter22", "hunter22"],
    ["a query of JDBC", "jdbc:postgresql://db/shop?user=sa&password=hunter22", "hunter22"],
    ["keywords and values", "host=db user=me password=hunter22 dbname=shop", "hunter22"],
    ["keywords with quotes", "host=db password='hunter 22'", "hunter 22"],
    ["headers in one variable", "team=a,api-key=hunter22", "hunter22"],
    ["several hosts", "mongodb://me:hunter22@db1:27017,db2:27017/shop?replicaSet=rs", "hunter22"],
    ["a second URL", "redis://a, redis://:hunter22@cache:6379", "hunter22"],
    ["a password with a slash", "postgres://me:hunter/22@db:5432/shop", "hunter/22"],
    ["a key as the user", "https://0a1b2c3d4e5f@errors.example/7", "0a1b2c3d4e5f"],
    ["a login without a scheme", "me:hunter22@tcp(db:3306)/shop", "hunter22"],
    ["a login and a port", "me:hunter22@db:5432", "hunter22"],
    ["a command", "exec serve --verbose --password hunter22 --port 80", "hunter22"],
    ["a variable in a command", "API_TOKEN=hunter22 node server.js", "hunter22"],
    ["a header in a command", `curl -H "Authorization: Bearer hunter22" https://x.example`, "hunter22"],
    ["headers as JSON", `{"Authorization": "Bearer hunter22", "Version": "2022-06-28"}`, "hunter22"],
    ["a token by its beginning", "use ghp_0123456789abcdefghij", "ghp_0123456789abcdefghij"],
    ["a fragment", "https://x.example/#access_token=hunter22", "hunter22"],
  ])("%s", (_place, text, secret) => {
    for (const secrets of [secretsOfProgram([text]), secretsOfProgram([], { SETTINGS: text })])
      expect(secrets).toContain(secret);
  });

  it.each([
    [["serve", "--port", "8080", "--host", "localhost", "/home/ada/projects", "production"]],
    [["run", "--rm", "-i", "ghcr.io/github/github-mcp-server:latest", "mcp/fetch@sha256:0123456789abcdef0123"]],
    [["-y", "@modelcontextprotocol/server-filesystem@2025.8.21", "npm:left-pad@1.3.0", "file:///srv/data"]],
    [["--author", "Ada Lovelace", "--max-tokens", "128000", "--keyboard=qwertyuiop"]],
    [["postgres://reader@db.example:5432/shop?sslmode=require", "https://x.example:8443/@ada/feed"]],
    [["Server=db;Integrated Security=true;Persist Security Info=false", "ssh://git@host.example/repo"]],
    [["mailto:ada@example.com", "key: value", "--auth", "disabled"]],
  ])("there are none in %j", (args) => {
    expect(secretsOfProgram(args)).toEqual([]);
  });

  it("are not settings that have the name of one", () => {
    const env = { AUTH_MODE: "required", SESSION: "disabled", MAX_TOKENS: "128000", TOKENIZERS_PARALLELISM: "false" };
    expect(secretsOfProgram([], { ...env, API_TOKEN: "undefined" })).toEqual([]);
  });

  it.each([
    [
      [],
      { AUTH_PROVIDER: "github", SESSION_MODE: "stateless", AUTH_SERVER: "db01:5432", TOKEN_URL: "https://x.example" },
    ],
    [["--sort-key=created_at", "--primary-key", "user_id", "-e", "AUTH_MODE=interactive"], { SORT_KEY: "created_at" }],
    [["serve --partition-key tenant_id --cache-key 'user name'", "SortKey=created;PrimaryKey=user_id"], {}],
  ])("F9 are not ordinary values under a name that may mean something else: %j %j", (args, env) => {
    expect(secretsOfProgram(args, env)).toEqual([]);
    for (const [name, value] of Object.entries(env)) expect(isSecretVariableValue(name, value)).toBe(false);
  });

  it.each([
    ["AUTH_PROVIDER", "tJ4x9QpL"],
    ["BASIC_AUTH", "ada:sunflower"],
    ["DB_PASS", "sunflower"],
    ["STRIPE_KEY", "sk-12ab34cd56ef"],
    ["AWS_SECRET_ACCESS_KEY", "sunflower"],
    ["OPENAI_API_KEY", "sunflower"],
    ["CLIENT_SECRET", "correct horse"],
    ["KEY", "sunflower"],
  ])("F9 are any other values under such a name, and all under one that leaves no doubt: %s=%s", (name, value) => {
    expect(secretsOfProgram([], { [name]: value })).toEqual([value]);
    expect(isSecretVariableValue(name, value)).toBe(true);
    expect(secretsOfProgram([`--${name}=${value}`])).toEqual([value]);
  });

  it("are reported by place if they are too short to be redacted, unless they are settings", () => {
    const launch: Launch = {
      transport: "stdio",
      command: "x",
      args: ["--verbose", "--token=abc", "postgres://me:pw@db/x", "--key=1"],
      env: { DB_PASSWORD: "abc", API_TOKEN: "off", AUTH_MODE: "abc", SECRET: "" },
    };
    expect(unredactedCredentialsOf(launch).map(({ place }) => place)).toEqual([
      { field: "env", member: "DB_PASSWORD" },
      { field: "args", member: 1 },
      { field: "args", member: 2 },
    ]);
  });
});

describe("passwords that everybody knows", () => {
  it.each([
    ["postgres://user:password@db/shop", "postgres://user:password@db/shop"],
    ["postgres://postgres:postgres@db/shop", "postgres://postgres:postgres@db/shop"],
    ["Server=db;Password=ChangeMe;", undefined],
  ])("are not redacted by themselves, since they are ordinary words: %s", (text, whole) => {
    const expected = whole === undefined ? [] : [whole];
    expect(secretsOfProgram([], { DATABASE: text })).toEqual(expected);
    expect(secretsOfProgram([text])).toEqual(expected);
  });

  it("are not redacted in any other place either, and people are told where they stand", () => {
    const headers = { "X-Api-Key": "example", Authorization: "Bearer secret" };
    expect(secretsOfRemote("https://postgres:postgres@x.example/mcp?token=password", headers)).toEqual([
      "Bearer secret",
      "https://postgres:postgres@x.example/mcp?token=password",
    ]);
    expect(isSecretVariableValue("DB_PASSWORD", "postgres")).toBe(false);
    expect(whyNotRedactedVariable("DB_PASSWORD", "postgres")).toMatch(/everybody knows/);
    const known = createKnownSecrets();
    known.add(["password", "postgres", "hunter22"]);
    expect(known.redact("the password of postgres is hunter22")).toBe("the password of postgres is [redacted]");
    const env = { DATABASE: "postgres://postgres:postgres@db/shop", DB_PASSWORD: "password", MODE: "password" };
    const launch: Launch = { transport: "stdio", command: "x", args: [], env };
    expect(unredactedCredentialsOf(launch).map(({ place }) => place)).toEqual([
      { field: "env", member: "DATABASE" },
      { field: "env", member: "DB_PASSWORD" },
    ]);
  });
});

describe("F8 the value of a variable that stands in a credential's place", () => {
  it.each([
    ["GITHUB_TOKEN", "abcdef"],
    ["PASSPHRASE", "correct horse"],
    ["ANYTHING", "tJ4x9QpL"],
    ["ANYTHING", "hunter22"],
    ["ANYTHING", "correct-horse-battery-staple"],
    ["ANYTHING", "3f2504e0-4f89-11d3-9a0c-0305e82c3301"],
    ["ANYTHING", "12345678"],
    ["ANYTHING", "abcdefghijklmnopqrstuvwxyz"],
    ["HOOK", "https://hooks.example/services/T0AB12CD/x8Yz7Wv6U5"],
  ])("%s=%s is secret", (variable, value) => {
    expect(isSecretVariableValue(variable, value)).toBe(true);
  });

  it.each([
    ["NODE_ENV", "production"],
    ["HOST", "localhost"],
    ["HOST", "db01.internal.example.com:5432"],
    ["DEBUG", "true"],
    ["ANYTHING", "short1"],
    ["HOME", "/home/ada"],
    ["WORKSPACE", "/home/ada/project-8f3a2b/src"],
    ["ROOT", "C:\\Users\\Ada\\Documents"],
    ["AWS_REGION", "eu-central-1"],
    ["MODEL", "gpt-4o-mini"],
    ["NAME", "Ada Lovelace"],
    ["MAIL", "ada@example.com"],
    ["URL", "https://api.example.com/v1"],
    ["PROJECT", "myProjectName"],
    ["API_KEY", "unset"],
    ["API_KEY", "abc"],
  ])("%s=%s is not", (variable, value) => {
    expect(isSecretVariableValue(variable, value)).toBe(false);
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
    ...["", "a", "ab", "abc"].map((before): [string, string] => [
      `in the base64 of a text, behind ${before.length} bytes`,
      toBase64(`${before}${secret}, and more`),
    ]),
    [
      "in an address in an address",
      `?next=${encodeURIComponent(`https://x.example/?p=${encodeURIComponent(secret)}`)}`,
    ],
  ])("%s", (_how, text) => {
    expect(createRedactor([secret])(text)).toContain("[redacted]");
    expect(createRedactor([secret])(text)).not.toMatch(/p(\?|%3F|%253F)ss/);
  });
});
