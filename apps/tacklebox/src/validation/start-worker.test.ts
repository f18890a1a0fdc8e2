import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { type Clock, createValidator, type JsonSchema, type OpenValidator, systemClock } from "@tacklebox/core";
import { waitUntil } from "@tacklebox/core/testing";
import { build } from "rolldown";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startValidationWorker } from "./start-worker.ts";

const never = new AbortController().signal;
const open: OpenValidator[] = [];
let folder: string;

/** Generous, because a legitimate check is slow when many tests run at once. */
const patientClock: Clock = { ...systemClock, after: (ms, task) => systemClock.after(10 * ms, task) };

// Bundled, since threads cannot run TypeScript; below the program's folder, so that its packages are found.
beforeAll(async () => {
  const app = fileURLToPath(new URL("../..", import.meta.url));
  folder = await mkdtemp(join(app, "dist", "validation-test-"));
  await build({
    input: {
      "worker-entry": join(app, "src/validation/worker-entry.ts"),
      "start-worker": join(app, "src/validation/start-worker.ts"),
      core: join(app, "../../packages/core/src/index.ts"),
    },
    platform: "node",
    resolve: { mainFields: ["module", "main"] },
    logLevel: "warn",
    output: { dir: folder, format: "esm" },
  });
});

afterEach(() => {
  for (const validator of open.splice(0)) validator.close();
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function start(): OpenValidator {
  const file = pathToFileURL(join(folder, "worker-entry.js"));
  const validator = createValidator({ clock: patientClock, startWorker: async () => startValidationWorker(file) });
  open.push(validator);
  return validator;
}

/** The result of a check: its problems, or why it failed. */
async function outcome(validator: OpenValidator, schema: JsonSchema, value: unknown): Promise<string> {
  try {
    return JSON.stringify(await validator.check(schema, value, never));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function doubling(levels: number): JsonSchema {
  const names = Array.from({ length: levels }, (_, level) => level);
  const next = (level: number) => ({ $ref: `#/$defs/d${level + 1}` });
  const $defs = Object.fromEntries(names.map((level) => [`d${level}`, { allOf: [next(level), next(level)] }]));
  return { $ref: "#/$defs/d0", $defs: { ...$defs, [`d${levels}`]: { type: "object" } } };
}

/** A pattern that a legitimate server may use: a password rule. */
const PASSWORD: JsonSchema = { type: "string", pattern: "^(?=.*[0-9])(?=.*[a-z]).{8,}$" };

describe("a check in its own thread", () => {
  it("matches patterns that RE2 cannot, and keeps its worker", async () => {
    const validator = start();
    expect(await outcome(validator, PASSWORD, "secret123")).toBe("[]");
    expect(JSON.parse(await outcome(validator, PASSWORD, "secret"))).toEqual([
      { path: "", message: "must match the pattern ^(?=.*[0-9])(?=.*[a-z]).{8,}$" },
    ]);
  });

  it.each<[string, JsonSchema, unknown]>([
    ["a lookahead that backtracks for ever", { pattern: "^(?=(a+)+$)" }, `${"a".repeat(50_000)}!`],
    ["references that double 30 times", doubling(30), {}],
  ])("T27 ends after its deadline while others go on: %s", async (_name, schema, value) => {
    const validator = start();
    const ended: string[] = [];
    const bomb = outcome(validator, schema, value).then((text) => {
      ended.push("bomb");
      return text;
    });
    let others = 0;
    await waitUntil(async () => {
      expect(await outcome(validator, { type: "number" }, 1)).toBe("[]");
      if (ended.length === 0) others += 1;
      return ended.length > 0;
    });
    expect(await bomb).toContain("it took longer than 250 ms and was stopped");
    // Each turn of the loop takes only a moment, so far more turns than these fit in.
    expect(others).toBeGreaterThan(5);
    expect(await outcome(validator, PASSWORD, "secret123")).toBe("[]");
  });

  it("T27 fails when it needs more memory than its limit, and this process goes on", async () => {
    const worker = startValidationWorker(pathToFileURL(join(folder, "worker-entry.js")));
    const value = Array.from({ length: 100_000 }, (_, index) => ({ name: `item ${index} ${"x".repeat(400)}` }));
    const checked = worker.check({ schema: '{"uniqueItems": true}', value }, () => undefined);
    await expect(checked).rejects.toMatchObject({ code: "ERR_WORKER_OUT_OF_MEMORY" });
    await expect(worker.check({ schema: "{}", value: 1 }, () => undefined)).rejects.toThrow();
  });

  it("T26 gets a member called __proto__ like any other", async () => {
    const value: unknown = JSON.parse(`{"__proto__": "x", "password": "secret123"}`);
    const schema: JsonSchema = { properties: { password: PASSWORD }, additionalProperties: false };
    expect(JSON.parse(await outcome(start(), schema, value))).toEqual([
      { path: "", message: 'has the unknown property "__proto__"', ofArguments: 'unknown argument "__proto__"' },
    ]);
  });

  it("does not keep the program from ending, even during a check", async () => {
    const program = join(folder, "program.mjs");
    await writeFile(
      program,
      `import { createValidator, systemClock } from "./core.js";
      import { startValidationWorker, WORKER_FILE } from "./start-worker.js";
      const clock = { ...systemClock, after: (ms, task) => systemClock.after(10 * ms, task) };
      const validator = createValidator({ clock, startWorker: async () => startValidationWorker(WORKER_FILE) });
      const never = new AbortController().signal;
      console.log(await validator.check(${JSON.stringify(PASSWORD)}, "secret123", never));
      setTimeout(() => { throw new Error("It did not end by itself"); }, 60_000).unref();
      validator.check({ pattern: "^(?=(a+)+$)" }, "a".repeat(50_000) + "!", never).catch((error) => console.log(error.message));`,
    );
    const { stdout } = await promisify(execFile)(process.execPath, [program]);
    expect(stdout).toMatch(/^\[\]\n(it took longer than 250 ms.*\n)?$/);
  });

  it("T26 never writes to Object.prototype", async () => {
    const program = join(folder, "frozen.mjs");
    await writeFile(
      program,
      `import { createValidator, systemClock } from "./core.js";
      Object.freeze(Object.prototype);
      const validator = createValidator({ clock: systemClock });
      const never = new AbortController().signal;
      const schema = JSON.parse('{"properties": {"__proto__": {"properties": {"a": {"type": "number"}}}, "constructor": false}, "required": ["constructor"], "patternProperties": {"^_": {"type": "object"}}, "unevaluatedProperties": false}');
      const value = JSON.parse('{"__proto__": {"a": "x"}, "prototype": 1}');
      for (const { path, message } of await validator.check(schema, value, never)) console.log(path + ": " + message);`,
    );
    const { stdout } = await promisify(execFile)(process.execPath, [program]);
    expect(stdout.split("\n")).toEqual([
      ': is missing "constructor"',
      "/__proto__/a: must be a number, not a string",
      ': has the unknown property "prototype"',
      "",
    ]);
  });
});
