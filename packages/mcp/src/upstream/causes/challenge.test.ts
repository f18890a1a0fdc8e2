import { describe, expect, it } from "vitest";
import { parseChallenges } from "./challenge.ts";

describe("what a server says about signing in", () => {
  it("is read with its parameters", () => {
    const header =
      'Bearer realm="a \\"b\\"", scope="x y", error=invalid_token, error_description="It, too, expired", resource_metadata="https://a.example/.well-known/x"';
    expect(parseChallenges(header)).toEqual([
      {
        scheme: "Bearer",
        realm: 'a "b"',
        scope: "x y",
        error: "invalid_token",
        errorDescription: "It, too, expired",
        resourceMetadata: "https://a.example/.well-known/x",
      },
    ]);
  });

  it("may name several schemes, in one header or in several", () => {
    expect(parseChallenges('Basic realm="one", Bearer scope="two", Negotiate')).toEqual([
      { scheme: "Basic", realm: "one" },
      { scheme: "Bearer", scope: "two" },
      { scheme: "Negotiate" },
    ]);
  });

  it.each([null, "", " = ", ",,,", '"'.repeat(10_000)])("is nothing if it cannot be read: %j", (header) => {
    expect(parseChallenges(header)).toEqual([]);
  });
});
