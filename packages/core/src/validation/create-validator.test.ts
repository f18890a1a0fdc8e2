import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../json/json.ts";
import { systemClock } from "../platform/system-clock.ts";
import type { ValidationAnswer, ValidationJob, ValidationWorker } from "../ports/validator.ts";
import { createManualClock } from "../testing/manual-clock.ts";
import { waitUntil } from "../testing/wait-until.ts";
import { createValidator } from "./create-validator.ts";

const never = new AbortController().signal;

/** RE2 cannot match it, so it is never matched synchronously. */
const COSTLY: JsonSchema = { type: "string", pattern: "^(?=a)" };

/** Each reference doubles the work: 2^30 steps from a schema of about 2.5 KB. */
function doubling(levels: number): JsonSchema {
  const names = Array.from({ length: levels }, (_, level) => level);
  const next = (level: number) => ({ $ref: `#/$defs/d${level + 1}` });
  const $defs = Object.fromEntries(names.map((level) => [`d${level}`, { allOf: [next(level), next(level)] }]));
  return { $ref: "#/$defs/d0", $defs: { ...$defs, [`d${levels}`]: { type: ["object", "string"] } } };
}

/** The same schema applied to one value 2^12 times: few steps, if iterating over a large value counted as only one. */
function again(part: Record<string, unknown>): JsonSchema {
  const { $defs, $ref } = doubling(12);
  return { $ref: $ref ?? "", $defs: { ...Object($defs), d12: part } };
}

/** Nested alternatives: 3^levels ways to fail. */
function alternatives(levels: number): JsonSchema {
  const names = Array.from({ length: levels }, (_, level) => level);
  const next = (level: number) => ({ $ref: `#/$defs/a${level + 1}` });
  const parts = names.map((level) => [`a${level}`, { oneOf: [next(level), { not: next(level) }, next(level)] }]);
  return { $ref: "#/$defs/a0", $defs: { ...Object.fromEntries(parts), [`a${levels}`]: { const: 1 } } };
}

const BOMBS: [string, JsonSchema, unknown][] = [
  ["references that double", doubling(30), {}],
  ["a schema that is itself", { $ref: "#" }, {}],
  ["alternatives within alternatives", alternatives(20), 2],
  ["a large counter on a long text", { pattern: "[a-z]{1,900}[^a]" }, "a".repeat(20_000)],
  ["a lookahead", COSTLY, "a".repeat(30)],
  ["many names against many patterns", { patternProperties: { "^[a-z]{1,900}$": {} } }, manyNames(5_000)],
  ["a long list that must not repeat itself", { uniqueItems: true }, Array.from({ length: 100_000 }, (_, n) => n)],
  [
    "large items that must not repeat",
    { uniqueItems: true },
    Array.from({ length: 50 }, (_, n) => manyNames(1_000 + n)),
  ],
  ["a million items", { items: { type: "number" } }, Array.from({ length: 1_000_000 }, () => 1)],
  ["members that are counted again and again", again({ minProperties: 1 }), manyNames(20_000)],
  ["names that are all right again and again", again({ propertyNames: true }), manyNames(20_000)],
  ["a name too many again and again", again({ not: { additionalProperties: false } }), manyNames(20_000)],
  ["items that may be anything again and again", again({ items: true }), ones(100_000)],
  ["items of which one is sought again and again", again({ contains: true }), ones(100_000)],
  ["items that are taken note of again and again", again({ unevaluatedItems: true }), ones(20_000)],
  ["a long list of needs again and again", again({ dependentRequired: { name1: names(10_000) } }), manyNames(10_000)],
  ["a large value among many small ones", { enum: Array.from({ length: 15_000 }, () => ({})) }, manyNames(20_000)],
  ["a large constant again and again", again({ const: [...ones(10_000)] }), ones(10_000)],
  ["multiples of a very small number", { items: { multipleOf: 5e-324 } }, ones(20_000).map(() => 1.7e308)],
  ["a long text with a format", { format: "email" }, `${"a.".repeat(50_000)}@b`],
];

function manyNames(count: number): Record<string, number> {
  return Object.fromEntries(names(count).map((name, index) => [name, index]));
}

function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `name${index}`);
}

function ones(count: number): number[] {
  return Array.from({ length: count }, () => 1);
}

describe("T27 a slow check does not run synchronously", () => {
  it.each(BOMBS)("%s", async (_name, schema, value) => {
    const validator = createValidator({ clock: systemClock });
    await expect(validator.check(schema, value, never)).rejects.toThrow("takes more work than can be done here");
  });

  it.each<[string, JsonSchema, unknown]>([
    [
      "references that double, but lead to nothing in the value",
      { properties: { a: { $ref: "#/$defs/d0" } }, $defs: doubling(30).$defs ?? {} },
      { b: 1 },
    ],
    ["recursion over a small value", { type: "object", additionalProperties: { $ref: "#" } }, { a: { b: { c: {} } } }],
    ["a nested quantifier that RE2 matches in linear time", { pattern: "^(a+)+$" }, "a".repeat(1_000)],
    ["a lookahead in a property that is absent", { properties: { a: COSTLY } }, {}],
    ["a value type that is named often", again({ type: names(5_000).map(() => "object") }), {}],
    ["five thousand items", { items: { type: "number" } }, Array.from({ length: 5_000 }, () => 1)],
  ])("but does if it takes few steps: %s", async (_name, schema, value) => {
    expect(await createValidator({ clock: systemClock }).check(schema, value, never)).toEqual([]);
  });

  it("and a pattern that takes exponential time elsewhere rejects 50,000 characters", async () => {
    const validator = createValidator({ clock: systemClock });
    expect(await validator.check({ pattern: "^(a+)+$" }, `${"a".repeat(50_000)}!`, never)).toEqual([
      { path: "", message: "must match the pattern ^(a+)+$" },
    ]);
  });

  it("and a format whose usual expression takes exponential time is quick", async () => {
    const validator = createValidator({ clock: systemClock });
    const value = `http://${"a".repeat(20_000)}!`;
    expect(await validator.check({ format: "url" }, value, never)).toBeInstanceOf(Array);
  });
});

describe("T28 two tools share nothing", () => {
  const named = (type: string): JsonSchema => ({
    $id: "https://example.org/same",
    $ref: "#/$defs/it",
    $defs: { it: { $id: "it", $anchor: "it", type } },
  });

  it("not even with the same $id in their schemas", async () => {
    const validator = createValidator({ clock: systemClock });
    expect(await validator.check(named("string"), "a", never)).toEqual([]);
    expect(await validator.check(named("number"), 1, never)).toEqual([]);
    expect(await validator.check(named("string"), 1, never)).toHaveLength(1);
  });

  it("and no schema can name one of another tool", async () => {
    const validator = createValidator({ clock: systemClock });
    await validator.check(named("string"), "a", never);
    const thief: JsonSchema = { $ref: "https://example.org/same" };
    await expect(validator.check(thief, "a", never)).rejects.toThrow("which is not in it; nothing is fetched");
  });

  it("a schema object is not changed by being checked against", async () => {
    const schema: JsonSchema = { ...named("string"), properties: { a: { pattern: "a" } } };
    const frozen = deepFreeze(structuredClone(schema));
    await createValidator({ clock: systemClock }).check(frozen, "a", never);
    expect(frozen).toEqual(schema);
  });
});

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

interface ScriptedWorker extends ValidationWorker {
  readonly job: ValidationJob | undefined;
  readonly stopped: boolean;
  start(): void;
  answer(answer: ValidationAnswer): void;
  crash(): void;
}

/** Workers that begin, answer and crash when a test says so. */
function createScene() {
  const clock = createManualClock();
  const workers: ScriptedWorker[] = [];
  const validator = createValidator({
    clock,
    startWorker: async () => {
      const worker = createScriptedWorker();
      workers.push(worker);
      return worker;
    },
  });
  /** The running worker that has a job. */
  const working = async (): Promise<ScriptedWorker> => {
    const find = () => workers.find(({ job, stopped }) => job !== undefined && !stopped);
    await waitUntil(() => find() !== undefined);
    const found = find();
    if (found === undefined) throw new Error("No worker has a job");
    return found;
  };
  const overdue = async () => {
    const worker = await working();
    worker.start();
    clock.advance(250);
    await waitUntil(() => worker.stopped);
  };
  const check = async (schema: JsonSchema, value: unknown = "a", signal = new AbortController().signal) => {
    try {
      return await validator.check(schema, value, signal);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  return { clock, workers, validator, working, overdue, check };
}

interface Scripted {
  readonly job: ValidationJob;
  begin(): void;
  resolve(answer: ValidationAnswer): void;
  reject(error: Error): void;
}

function createScriptedWorker(): ScriptedWorker {
  let current: Scripted | undefined;
  let stopped = false;
  return {
    get job() {
      return current?.job;
    },
    get stopped() {
      return stopped;
    },
    check(job, begin) {
      return new Promise((resolve, reject) => {
        current = { job, begin, resolve, reject };
      });
    },
    start: () => current?.begin(),
    answer(answer) {
      current?.resolve(answer);
      current = undefined;
    },
    crash() {
      stopped = true;
      current?.reject(new Error("out of memory"));
    },
    stop() {
      stopped = true;
    },
  };
}

const costly = (name: string): JsonSchema => ({ ...COSTLY, title: name });
const OK: ValidationAnswer = { kind: "checked", problems: [] };
const TOO_LONG =
  "it took longer than 250 ms and was stopped. Pass shorter arguments, or ask the server's author for a simpler schema";

describe("the worker", () => {
  it("starts with the first slow check and answers it", async () => {
    const { check, working, workers } = createScene();
    await check({ type: "string" });
    expect(workers).toHaveLength(0);
    const problems = [{ path: "/a", message: "must not be empty" }];
    const checked = check(COSTLY);
    (await working()).answer({ kind: "checked", problems });
    expect(await checked).toEqual(problems);
    expect(workers).toHaveLength(1);
  });

  it("is stopped 250 ms after it began the job, not after the request, and a spare is kept ready from then on", async () => {
    const { check, clock, working, workers } = createScene();
    const checked = check(COSTLY);
    const first = await working();
    clock.advance(4_000);
    first.start();
    clock.advance(249);
    expect(first.stopped).toBe(false);
    clock.advance(1);
    expect(await checked).toBe(TOO_LONG);
    expect(first.stopped).toBe(true);
    await waitUntil(() => workers.length === 3);
    const next = check(costly("b"));
    (await working()).answer(OK);
    expect(await next).toEqual([]);
    expect(workers).toHaveLength(3);
  });

  it("that crashes fails only its current check", async () => {
    const { check, working } = createScene();
    const [broken, next] = [check(costly("a")), check(costly("b"))];
    (await working()).crash();
    expect(await broken).toBe(
      "its worker ended before it was finished, perhaps for lack of memory. Pass shorter arguments",
    );
    (await working()).answer(OK);
    expect(await next).toEqual([]);
  });

  it("that never begins is abandoned after 10 s", async () => {
    const { check, clock, working } = createScene();
    const checked = check(COSTLY);
    await working();
    clock.advance(10_000);
    expect(await checked).toContain("its worker ended before it was finished");
  });

  it("is stopped with the validator", async () => {
    const { check, validator, working } = createScene();
    const checked = check(COSTLY);
    const worker = await working();
    validator.close();
    await waitUntil(() => worker.stopped);
    worker.crash();
    expect(await checked).toBe("the call was cancelled");
    expect(await check(COSTLY)).toBe("the call was cancelled");
  });

  it("leaves no timers behind", async () => {
    const { check, clock, working } = createScene();
    const checked = check(COSTLY);
    const worker = await working();
    worker.start();
    worker.answer(OK);
    await checked;
    expect(clock.pending()).toBe(0);
  });
});

describe("slow checks wait in a queue", () => {
  it("in which schemas take turns", async () => {
    const { check, working } = createScene();
    const order: unknown[] = [];
    const checks = ["a", "a", "a", "b"].map((name) => check(costly(name)));
    for (let served = 0; served < 4; served += 1) {
      const worker = await working();
      order.push(JSON.parse(worker.job?.schema ?? "{}").title);
      worker.answer(OK);
      await Promise.race(checks);
    }
    // The first ran at once; of those that waited, b overtook the last a.
    expect(order).toEqual(["a", "a", "b", "a"]);
  });

  it("that is limited per schema, in total, and in time", async () => {
    const { check, clock, working } = createScene();
    const first = check(costly("0"));
    await working();
    const same = Array.from({ length: 9 }, () => check(costly("1")));
    const tooMany = "too many checks that take long are waiting. Try again later";
    expect(await same[8]).toBe(tooMany);
    const others = Array.from({ length: 57 }, (_, index) => check(costly(`other ${index}`)));
    expect(await others[56]).toBe(tooMany);
    clock.advance(5_000);
    expect(await same[0]).toBe("it waited 5 s behind other checks that take long. Try again later");
    (await working()).answer(OK);
    expect(await first).toEqual([]);
  });

  it("until the call is cancelled, whether they run or not", async () => {
    const { check, working } = createScene();
    const cancel = new AbortController();
    const checks = [check(costly("a"), "a", cancel.signal), check(costly("b"), "a", cancel.signal)];
    await working();
    cancel.abort();
    expect(await Promise.all(checks)).toEqual(["the call was cancelled", "the call was cancelled"]);
    expect(await check(costly("c"), "a", cancel.signal)).toBe("the call was cancelled");
  });

  it("unless their schema took too long three times, for a minute", async () => {
    const { check, clock, overdue, working } = createScene();
    for (let strike = 0; strike < 3; strike += 1) {
      const checked = check(COSTLY);
      await overdue();
      expect(await checked).toBe(TOO_LONG);
    }
    expect(await check(COSTLY)).toBe(
      "checks against the tool's schema could not be finished 3 times in a row, so none is tried for 60 s. Ask the server's author for a simpler schema",
    );
    const other = check(costly("b"));
    (await working()).answer(OK);
    expect(await other).toEqual([]);
    clock.advance(60_000);
    const again = check(structuredClone(COSTLY));
    (await working()).answer(OK);
    expect(await again).toEqual([]);
  });
});
