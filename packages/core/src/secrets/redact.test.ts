import { describe, expect, it } from "vitest";
import type { Authentication, Launch } from "../domain/launch.ts";
import { type ServerDefinition, UNGOVERNED } from "../domain/server.ts";
import { secretsOf } from "./find-secrets.ts";
import { createRedactor, redactJson } from "./redact.ts";

function withLaunch(launch: Launch): ServerDefinition {
  return {
    scope: "agent",
    key: "a",
    name: "a",
    launch,
    ...UNGOVERNED,
  };
}

function remote(authentication: Authentication, headers: Record<string, string> = {}, url = "https://example.com/mcp") {
  return withLaunch({ transport: "http", url, headers, authentication });
}

function local(env: Record<string, string>, args: string[] = []) {
  return withLaunch({ transport: "stdio", command: "x", args, env });
}

const NONE: Authentication = { type: "none" };

describe("references to the vault", () => {
  it("are not secrets themselves", () => {
    expect(secretsOf(local({ API_TOKEN: "${secret:crm}" }))).toEqual([]);
  });

  it("do not hide passwords in database URLs, whatever the variable is called", () => {
    expect(secretsOf(local({ DATABASE_URL: "postgres://me:hunter2%21@db/x", PLAIN: "postgres://db/x" }))).toEqual([
      "hunter2%21",
      "hunter2!",
      "postgres://me:hunter2%21@db/x",
    ]);
  });
});

describe("secretsOf", () => {
  it.each([
    [NONE, []],
    [{ type: "bearer", token: "bearer-token" }, ["bearer-token"]],
    [{ type: "api-key", key: "the-api-key", header: "x-api-key" }, ["the-api-key"]],
    [{ type: "basic", username: "müller", password: "hunter22" }, ["müller", "hunter22", "bcO8bGxlcjpodW50ZXIyMg=="]],
    [{ type: "bearer", token: "short" }, []],
  ] satisfies [Authentication, string[]][])(
    "D.21 finds what is secret in authentication %j",
    (authentication, secrets) => {
      expect(secretsOf(remote(authentication))).toEqual(secrets);
    },
  );

  it("finds header values, whole and without their scheme, unless the header is harmless", () => {
    const headers = {
      Authorization: "Bearer abcdefgh",
      "X-Any": "some value",
      Accept: "application/json",
      "user-agent": "tacklebox",
    };
    expect(secretsOf(remote(NONE, headers))).toEqual(["Bearer abcdefgh", "abcdefgh", "some value"]);
  });

  it("finds query values whose name looks secret, decoded", () => {
    const url = "https://example.com/mcp?api_key=a%20secret&page=second-one&sessionId=session-1&token=";
    expect(secretsOf(remote(NONE, {}, url))).toEqual(["a secret", "session-1"]);
    expect(secretsOf(remote(NONE, {}, "not a url"))).toEqual([]);
  });

  it("finds environment values and arguments whose name looks secret", () => {
    const env = { GITHUB_TOKEN: "github-token", DB_PASSWORD: "db-password", HOME: "/home/someone", API_KEY: "tiny" };
    const args = ["--api-key=arg=secret", "--token", "arg-token", "--auth", "--verbose", "token=positional", "--pass"];
    expect(secretsOf(local(env, args))).toEqual([
      "github-token",
      "db-password",
      "arg=secret",
      "arg-token",
      "positional",
    ]);
  });

  it("finds nothing in local tools", () => {
    expect(secretsOf(withLaunch({ transport: "local" }))).toEqual([]);
  });
});

describe("createRedactor", () => {
  it("redacts a secret as it is, URL-encoded, JSON-escaped and in base64", () => {
    const redact = createRedactor(['p?ss "wörd"~1']);
    const encoded = encodeURIComponent('p?ss "wörd"~1');
    const base64 = btoa(String.fromCharCode(...new TextEncoder().encode('p?ss "wörd"~1')));
    expect(redact('a p?ss "wörd"~1 b')).toBe("a [redacted] b");
    expect(redact(`?q=${encoded}&r=${encoded.toLowerCase()}`)).toBe("?q=[redacted]&r=[redacted]");
    expect(redact("q=p%3Fss+%22w%C3%B6rd%22%7E1")).toBe("q=[redacted]");
    expect(redact('{"k":"p?ss \\"wörd\\"~1"}')).toBe('{"k":"[redacted]"}');
    expect(redact(base64)).not.toContain(base64.slice(0, 12));
  });

  it("redacts the longer of two secrets with the same prefix, and every occurrence", () => {
    expect(createRedactor(["secret", "secret-longer"])("secret-longer secret secret")).toBe(
      "[redacted] [redacted] [redacted]",
    );
  });

  it("takes secrets literally", () => {
    expect(createRedactor(["a.*b+[c]"])("a.*b+[c] axxb")).toBe("[redacted] axxb");
    expect(createRedactor(["half\ud800pair"])("a half\ud800pair b")).toBe("a [redacted] b");
  });

  it("changes nothing when there are no secrets", () => {
    const redact = createRedactor(["", ""]);
    expect(redact("text")).toBe("text");
    const value = { a: ["text"] };
    expect(redactJson(redact, value)).toBe(value);
  });
});

describe("redactJson", () => {
  const redact = createRedactor(["secret-1", "secret-2"]);

  it("redacts every text at every depth, including keys, and does not change the value itself", () => {
    const value = { a: ["x secret-1", 1, null, true], "secret-1": { b: "secret-2" }, "secret-2": "", gone: undefined };
    expect(redactJson(redact, value)).toEqual({
      a: ["x [redacted]", 1, null, true],
      "[redacted]": { b: "[redacted]" },
      "[redacted] (2)": "",
    });
    expect(value.a[0]).toBe("x secret-1");
  });

  it("F8 redacts a number that is a secret of digits, however it is written, and no other", () => {
    const digits = createRedactor(["0012345678", "98765432109876543210"]);
    const value = JSON.parse('{"pin": 12345678, "deep": [98765432109876543210, 1.2345678e7], "other": 123456789}');
    expect(redactJson(digits, value)).toEqual({
      pin: "[redacted]",
      deep: ["[redacted]", "[redacted]"],
      other: 123_456_789,
    });
    expect(redactJson(digits, { other: 1 })).toEqual({ other: 1 });
  });

  it.each(["000001", "1.0000", "0000.5", "0.00001", "000000", "00012345"])(
    "leaves small numbers alone that a secret of digits would also be: %s",
    (secret) => {
      const value = { number: Number(secret), text: `pin ${secret}` };
      expect(redactJson(createRedactor([secret]), value)).toEqual({ number: Number(secret), text: "pin [redacted]" });
    },
  );

  it("keeps __proto__ as a plain key", () => {
    expect(JSON.stringify(redactJson(redact, JSON.parse('{"__proto__": "secret-1"}')))).toBe(
      '{"__proto__":"[redacted]"}',
    );
  });

  it("cuts off what is nested too deeply to be traversed", () => {
    const deep = JSON.parse(`${"[".repeat(50_000)}"secret-1"${"]".repeat(50_000)}`);
    const text = JSON.stringify(redactJson(redact, deep));
    expect(text).toBe(`${"[".repeat(500)}"[redacted: nested too deeply]"${"]".repeat(500)}`);
  });
});
