import { describe, expect, it } from "vitest";
import { createKnownSecrets } from "./known-secrets.ts";
import { redactJson } from "./redact.ts";

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
