import { createValidator, type JsonSchema, type RegisteredTool, systemClock } from "@tacklebox/core";
import { describe, expect, it } from "vitest";
import { readArguments } from "./read-arguments.ts";
import { sampleCall } from "./sample-call.ts";
import { formatSignature } from "./signature.ts";
import { toTypedArgument } from "./typed-argument.ts";

const validator = createValidator({ clock: systemClock });

function tool(inputSchema: JsonSchema, name = "do.it"): RegisteredTool {
  return {
    ref: { scope: "agent", server: "shop", name },
    shownName: "do_it",
    tool: { name, description: "", inputSchema, raw: {} },
    limits: { maxInstances: 1, timeoutMs: 1 },
    configuredBy: "default",
    include: "always",
  };
}

function needing(properties: Readonly<Record<string, JsonSchema>>, more: JsonSchema = {}): JsonSchema {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false, ...more };
}

/** The words of a command line, as a POSIX shell splits it. */
function shellWords(line: string): string[] {
  const words = line.match(/(?:[^\s'\\]|\\.|'[^']*')+/gs) ?? [];
  return words.map((word) => word.replace(/'([^']*)'|\\(.)/gs, (_, quoted = "", escaped = "") => quoted + escaped));
}

describe("an example command line", () => {
  it.each<[string, JsonSchema]>([
    [
      "texts",
      needing({
        path: { type: "string" },
        "it's": { type: "string", minLength: 9 },
        code: { maxLength: 2, type: "string" },
      }),
    ],
    [
      "numbers",
      needing({
        a: { type: "integer", minimum: 2.5 },
        b: { type: "number", exclusiveMinimum: 3 },
        c: { type: "integer", multipleOf: 7 },
      }),
    ],
    [
      "choices",
      needing({ a: { enum: ["x y", "z"] }, b: { const: 4 }, c: { enum: [null, "n"] }, d: { type: "boolean" } }),
    ],
    [
      "formats",
      needing({
        day: { type: "string", format: "date" },
        at: { type: "string", format: "date-time" },
        id: { type: "string", format: "uuid" },
      }),
    ],
    [
      "lists",
      needing({
        tags: { type: "array", items: { type: "string" }, minItems: 2 },
        sizes: { type: "array", items: { type: "integer" } },
      }),
    ],
    [
      "objects",
      needing({ edits: { type: "array", items: needing({ old: { type: "string" }, n: { type: "integer" } }) } }),
    ],
    [
      "alternatives",
      needing({
        a: { anyOf: [{ type: "integer" }, { type: "null" }] },
        b: { oneOf: [{ const: "auto" }, { type: "integer" }] },
        c: { type: ["boolean", "string"] },
      }),
    ],
    [
      "references",
      needing(
        { o: { $ref: "#/$defs/O" } },
        { $defs: { O: needing({ deep: { $ref: "#/$defs/D" } }), D: { type: "number", maximum: 0.5 } } },
      ),
    ],
    [
      "defaults and examples",
      needing({ a: { type: "string", default: "d e" }, b: { type: "integer", examples: [12] } }),
    ],
    ["names with dots", needing({ "a.b": { type: "integer" }, c: { type: "null" } })],
    ["anything", needing({ a: {}, b: { type: "object" } })],
    ["nothing", { type: "object" }],
  ])("has all that is required, as the tool's schema wants it: %s", async (_, schema) => {
    const [program, command, server, name, ...words] = shellWords(sampleCall(tool(schema), undefined));
    expect([program, command, server, name]).toEqual(["tacklebox", "call", "shop", "do.it"]);
    const typed = words.map((word) => toTypedArgument(word) ?? { name: `not read: ${word}`, text: "", isJson: false });
    const read = readArguments(typed, {}, schema);
    if (read.kind === "refused") throw new Error(read.messages.join("\n"));
    expect(await validator.check(schema, read.arguments, new AbortController().signal)).toEqual([]);
  });

  it("names the config file that was named, quoted for a shell", () => {
    expect(sampleCall(tool({ type: "object" }), "/my files/t.yaml")).toBe(
      "tacklebox call shop do.it --config '/my files/t.yaml'",
    );
  });
});

describe("a signature", () => {
  it("has what is required first, with types as programmers write them", () => {
    const properties = {
      page: { type: "integer" },
      state: { enum: ["open", 3, null] },
      rows: { type: "array" },
      either: { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } },
      odd: true,
    };
    expect(formatSignature(tool({ type: "object", properties, required: ["state"] }))).toBe(
      'do_it(state: "open" | 3 | null, page?: integer, rows?: any[], either?: (string | number)[], odd?: any)',
    );
  });

  it("stays short, however large the schema", () => {
    const properties = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`p${index}`, { type: "string" }]));
    expect(formatSignature(tool({ type: "object", properties })).length).toBeLessThan(800);
    const loop: JsonSchema = { type: "object", properties: { next: { $ref: "#" } } };
    expect(formatSignature(tool(loop))).toMatch(/^do_it\(next\?: \{ next\?: .*object.* \}\)$/);
  });
});
