import { describe, expect, expectTypeOf, it } from "vitest";
import { toJSONSchema } from "zod";
import * as z from "zod/mini";
import { JsonObject, list, map, object } from "./schema.ts";

const Sample = object({
  name: z.string(),
  lists: z.exactOptional(list(map(z.number()))),
  given: z.exactOptional(JsonObject),
});
type Sample = z.infer<typeof Sample>;

describe("a schema of a value", () => {
  it("has a read-only type, in which what may be absent is never undefined", () => {
    expectTypeOf<Sample>().toEqualTypeOf<{
      readonly name: string;
      readonly lists?: readonly Readonly<Record<string, number>>[];
      readonly given?: JsonObject;
    }>();
    expect(Sample.safeParse({ name: "a", lists: undefined }).success).toBe(false);
  });

  it("keeps members that it does not know", () => {
    const value = { name: "a", fromTheFuture: { deep: [1] } };
    expect(Sample.parse(value)).toStrictEqual(value);
  });

  it("hands JSON on as it is, without a look inside", () => {
    const given = {
      get anything(): never {
        throw new Error("looked inside");
      },
    };
    expect(Sample.parse({ name: "a", given }).given).toBe(given);
  });

  it.each([null, [], "{}", 1])("does not take %j for a JSON object", (given) => {
    expect(Sample.safeParse({ name: "a", given }).success).toBe(false);
  });

  it("freezes nothing, and tells nobody that it is only to be read", () => {
    expect(Object.isFrozen(Sample.parse({ name: "a" }))).toBe(false);
    expect(toJSONSchema(Sample)).toEqual({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        name: { type: "string" },
        lists: {
          type: "array",
          items: { type: "object", propertyNames: { type: "string" }, additionalProperties: { type: "number" } },
        },
        given: { type: "object" },
      },
      required: ["name"],
      additionalProperties: {},
    });
  });
});
