import { describe, expect, it } from "vitest";
import { createKnownSecrets } from "./known-secrets.ts";
import { redactJson } from "./redact.ts";
import { addServerSecrets } from "./secret-holders.ts";

describe("known secrets", () => {
  it("are redacted from the moment they are known", () => {
    const known = createKnownSecrets();
    const { redact } = known;
    expect(redact("canary-123456")).toBe("canary-123456");
    known.add(["canary-123456"]);
    expect(redact("a canary-123456 b")).toBe("a [redacted] b");
    expect(redactJson(redact, { deep: ["canary-123456"] })).toEqual({ deep: ["[redacted]"] });
  });

  it("cost nothing while there are none: values are not even copied", () => {
    const known = createKnownSecrets();
    const value = { large: ["value"] };
    expect(redactJson(known.redact, value)).toBe(value);
    known.add([]);
    expect(redactJson(known.redact, value)).toBe(value);
  });
});

it("F9 tells where a secret in a text is written, as far as that is known, and never the secret", () => {
  const known = createKnownSecrets();
  const launch = {
    transport: "stdio",
    command: "x",
    args: ["--token=canary-of-two"],
    env: { API_KEY: "canary" },
  } as const;
  addServerSecrets(known, { name: "s", launch });
  const filled = { ...launch, args: ["with canary-of-three"], env: { CONN: "canary-of-four" } };
  addServerSecrets(known, { name: "f", launch: filled }, ["canary-of-three", "canary-of-four"]);
  known.add(["canary-elsewhere", "short"], "another place");
  known.add(["canary-unknown"]);
  expect(
    ["canary_of", "canary-of-two", "x canary-elsewhere", "canary-of-three", "canary-of-four"].map(known.holderOf),
  ).toEqual([
    "env API_KEY of server 's'",
    "argument 1 of server 's'",
    "another place",
    "argument 1 of server 'f'",
    "env CONN of server 'f'",
  ]);
  expect(known.holderOf("short and harmless")).toBeUndefined();
});
