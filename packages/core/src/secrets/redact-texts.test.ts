import { expect, it } from "vitest";
import { createRedactor } from "./redact.ts";
import { holdsSecretBesidesTexts, redactTexts } from "./redact-texts.ts";

const TOOL = {
  name: "query",
  title: "Ask db-password",
  description: "Asks postgres://me:db-password@db",
  inputSchema: {
    type: "object",
    properties: {
      at: { type: "string", description: "such as db-password", default: "db-password", examples: ["db-password"] },
      // A parameter with that name, which is not a text.
      description: { type: "string", title: "db-password" },
      properties: { type: "object", default: { login: { password: "db-password" } }, properties: { default: {} } },
    },
  },
};

it("D.4 redacts secrets in texts for people and models, and leaves the rest as it is", () => {
  expect([TOOL, "broken", null].map((entry) => redactTexts(entry, createRedactor(["db-password"])))).toEqual([
    {
      name: "query",
      title: "Ask [redacted]",
      description: "Asks postgres://me:[redacted]@db",
      inputSchema: {
        type: "object",
        properties: {
          at: { type: "string", description: "such as [redacted]", default: "[redacted]", examples: ["[redacted]"] },
          description: { type: "string", title: "[redacted]" },
          properties: { type: "object", default: { login: { password: "[redacted]" } }, properties: { default: {} } },
        },
      },
    },
    "broken",
    null,
  ]);
});

it.each([["object"], ["string"], ["description"], ["query"]])("a secret that is %j breaks no definition", (secret) => {
  const plain = { ...TOOL, title: "Ask", description: "Asks" };
  expect(redactTexts(plain, createRedactor([secret]))).toEqual(plain);
});

it("returns a definition without secrets unchanged", () => {
  expect(redactTexts(TOOL, createRedactor(["another one"]))).toBe(TOOL);
  expect(redactTexts(TOOL, createRedactor([]))).toBe(TOOL);
});

function nest(levels: number, inside: unknown): unknown {
  let deep = inside;
  for (let depth = 0; depth < levels; depth += 1) deep = { x: deep };
  return deep;
}

it("F9 redacts what is nested too deeply to tell its texts apart, and takes it for holding a secret", () => {
  const redact = createRedactor(["secret-value"]);
  for (const levels of [251, 400, 100_000]) {
    const deep = nest(levels, "secret-value");
    expect(holdsSecretBesidesTexts(deep, redact)).toBe(true);
    let cut = redactTexts(deep, redact);
    while (typeof cut === "object" && cut !== null) cut = Object.values(cut)[0];
    expect(cut).toMatch(/^\[redacted/);
  }
  const harmless = nest(400, "anything else");
  expect(redactTexts(harmless, redact)).toBe(harmless);
  expect(holdsSecretBesidesTexts(harmless, redact)).toBe(false);
});

const of = (property: object) => ({ name: "query", inputSchema: { type: "object", properties: { property } } });

it.each([
  [{ name: "ask_db-password" }],
  [of({ enum: ["one", "db-password"] })],
  [of({ const: "db-password" })],
  [of({ enum: [{ deep: "db-password" }] })],
  [of({ properties: { "db-password": {} } })],
  [of({ pattern: "^db-password$" })],
  [of({ anyOf: [{ items: { const: 12_345_678 } }] })],
  [{ inputSchema: { required: ["db-password"] } }],
  [{ inputSchema: { $defs: { "db-password": {} } } }],
  [{ outputSchema: { "x-own": { note: "db-password" } } }],
])("F9 finds a secret that is not in a text: %j", (definition) => {
  expect(holdsSecretBesidesTexts(definition, createRedactor(["db-password", "12345678"]))).toBe(true);
});

it("F9 finds none in texts, and none in the words of the specifications", () => {
  expect(holdsSecretBesidesTexts(TOOL, createRedactor(["db-password"]))).toBe(false);
  const words = ["object", "string", "description", "properties", "inputSchema", "prefix"];
  const tool = of({ type: ["string", "null"], prefixItems: [{ type: "object" }] });
  expect(holdsSecretBesidesTexts(tool, createRedactor(words))).toBe(false);
});
