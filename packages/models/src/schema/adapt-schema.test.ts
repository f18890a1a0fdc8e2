import type { JsonSchema } from "@tacklebox/core";
import { describe, expect, it } from "vitest";
import { API_NAMES, type ApiName, testDefinition } from "../testing/test-models.ts";
import type { ApiStyle } from "../vendors/vendor.ts";
import { apiStyleOf } from "../vendors/vendors.ts";
import { adaptSchema } from "./adapt-schema.ts";

const text = { type: "string" };
const number = { type: "number" };

/** Title, the server's schema, the schema sent to OpenAI. */
const TABLE: readonly (readonly [string, JsonSchema, JsonSchema])[] = [
  ["keeps a plain schema", plain({ a: text }, ["a"]), plain({ a: text }, ["a"])],
  ["makes an empty schema an object", {}, plain({})],
  ["gives an object without properties none", { type: "object" }, plain({})],
  [
    "makes the type object if null was allowed, too",
    { type: ["object", "null"], properties: { a: text } },
    plain({ a: text }),
  ],
  [
    "drops what only a validator reads at the top",
    { ...plain({ a: text }), $schema: "http://json-schema.org/draft-07/schema#", enum: [{}], not: { required: ["b"] } },
    plain({ a: text }),
  ],
  [
    "merges allOf, requiring what each requires",
    { type: "object", allOf: [plain({ a: text }, ["a"]), plain({ b: number }, ["b"])] },
    plain({ a: text, b: number }, ["a", "b"]),
  ],
  [
    "offers every property of a oneOf, requires what all require, and says which sets go together",
    { type: "object", oneOf: [plain({ a: text, c: text }, ["a", "c"]), plain({ b: number, c: text }, ["b", "c"])] },
    { ...plain({ a: text, c: text, b: number }, ["c"]), description: "Give one of these sets: a + c; b + c." },
  ],
  [
    "keeps both forms of a property that an anyOf gives twice",
    { type: "object", description: "Looks.", anyOf: [plain({ a: text }), plain({ a: number }), plain({ a: text })] },
    { ...plain({ a: { anyOf: [text, number] } }), description: "Looks." },
  ],
  [
    "follows a reference at the top",
    { $ref: "#/$defs/in~1put", $defs: { "in/put": plain({ a: text }, ["a"]) } },
    { ...plain({ a: text }, ["a"]), $defs: { "in/put": plain({ a: text }, ["a"]) } },
  ],
  [
    "hoists a property's own required: true",
    plain({ a: { type: "string", required: true }, b: { type: "string", required: false } }),
    plain({ a: text, b: text }, ["a"]),
  ],
  [
    "writes draft 4's exclusive bounds as numbers",
    plain({ a: { type: "number", minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false } }),
    plain({ a: { type: "number", minimum: 1, exclusiveMinimum: 1, maximum: 9 } }),
  ],
  [
    "gives arrays one schema for their items",
    plain({
      a: { type: "array" },
      b: { type: "array", items: [text, number, text] },
      c: { type: "array", items: [text] },
    }),
    plain({
      a: { type: "array", items: {} },
      b: { type: "array", items: { anyOf: [text, number] } },
      c: { type: "array", items: text },
    }),
  ],
  [
    "drops unknown types, and keeps lists of types (T1.5)",
    plain({ a: { type: "any" }, b: { type: ["string", "any", "null"] }, c: { type: ["string", "file"] } }),
    plain({ a: {}, b: { type: ["string", "null"] }, c: text }),
  ],
  [
    "writes true and false as schemas",
    { ...plain({ a: true, b: false }), additionalProperties: false },
    { ...plain({ a: {}, b: { not: {} } }), additionalProperties: false },
  ],
  [
    "repairs schemas inside combinations below the top level, and keeps the combinations",
    plain({ a: { oneOf: [{ type: "array" }, text] } }),
    plain({ a: { oneOf: [{ type: "array", items: {} }, text] } }),
  ],
];

describe("a schema on its way to a vendor", () => {
  it.each(TABLE)("%s", (_title, sent, expected) => {
    const before = structuredClone(sent);
    for (const api of API_NAMES) expect(adaptSchema(sent, style(api))).toEqual(expected);
    expect(sent).toEqual(before);
  });

  it("mentions property names that Anthropic refuses in the description", () => {
    const schema = plain({ good: text, "has space": text }, ["good", "has space"]);
    const description = 'It also takes the properties "has space".';
    expect(adaptSchema(schema, style("anthropic"))).toEqual({ ...plain({ good: text }, ["good"]), description });
    expect(adaptSchema(schema, style("openai responses"))).toEqual(schema);
  });

  it("is adapted once", () => {
    const schema = plain({ a: text });
    expect(adaptSchema(schema, style("openai responses"))).toBe(adaptSchema(schema, style("openai responses")));
  });

  it("terminates for a schema that refers to itself at the top level or is absurdly deep", () => {
    expect(
      adaptSchema({ $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } }, style("openai responses")),
    ).toMatchObject(plain({}));
    let deep: JsonSchema = text;
    for (let depth = 0; depth < 20_000; depth += 1) deep = { type: "object", properties: { a: deep } };
    expect(adaptSchema(deep, style("openai responses"))).toMatchObject({ type: "object" });
  });
});

function style(api: ApiName): ApiStyle {
  return apiStyleOf(testDefinition(api, "http://127.0.0.1:9"));
}

function plain(properties: JsonSchema, required: readonly string[] = []): JsonSchema {
  return { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
}
