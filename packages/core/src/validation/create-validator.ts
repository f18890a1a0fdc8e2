import type { StopSignal } from "../async/stop.ts";
import type { JsonSchema } from "../json/json.ts";
import type { Clock } from "../ports/clock.ts";
import type { StartValidationWorker, Validator } from "../ports/validator.ts";
import { createBoundedMap } from "./bounded-map.ts";
import { createCostlyChecks } from "./costly-checks.ts";
import { judgeValue } from "./judge-value.ts";
import { postponeMatch } from "./match-pattern.ts";
import { prepareSchema } from "./prepare-schema.ts";
import type { CompiledCheck } from "./run.ts";

/**
 * How many steps a check may take synchronously: a few milliseconds at worst. Counting while checking limits every
 * kind of schema bomb (doubling references, recursion, alternatives, long lists), and still lets small values of a
 * large schema pass.
 */
const MAX_SYNC_STEPS = 50_000;

const TOO_MUCH_HERE = "the check takes more work than can be done here. Pass shorter arguments, or simplify the schema";

export interface ValidatorDeps {
  /** Without it, values that take long to check are refused. */
  readonly startWorker?: StartValidationWorker;
  readonly clock: Clock;
}

export interface OpenValidator extends Validator {
  /** Stops its workers. */
  close(): void;
}

interface Prepared {
  readonly check: CompiledCheck;
  readonly text: string;
}

/** Runs cheap checks synchronously, and the rest in a worker with a deadline (T27). */
export function createValidator({ startWorker, clock }: ValidatorDeps): OpenValidator {
  const byObject = new WeakMap<JsonSchema, Prepared>();
  // A refreshed tool list brings new schema objects, mostly with the same content.
  const byText = createBoundedMap<Prepared>();
  const costly = startWorker === undefined ? undefined : createCostlyChecks(startWorker, clock);

  const prepare = (schema: JsonSchema): Prepared | Promise<Prepared> => {
    const text = JSON.stringify(schema);
    const keep = (prepared: Prepared) => {
      byText.set(text, prepared);
      byObject.set(schema, prepared);
      return prepared;
    };
    const known = byText.get(text);
    if (known !== undefined) return keep(known);
    const check = prepareSchema(schema, text, postponeMatch);
    return check instanceof Promise ? check.then((ready) => keep({ check: ready, text })) : keep({ check, text });
  };

  const judge = ({ check, text }: Prepared, value: unknown, signal: StopSignal) => {
    const problems = judgeValue(check, value, MAX_SYNC_STEPS);
    if (problems !== undefined) return problems;
    if (costly === undefined) return Promise.reject(new Error(TOO_MUCH_HERE));
    return costly.check({ schema: text, value }, signal);
  };

  return {
    check(schema, value, signal) {
      try {
        const prepared = byObject.get(schema) ?? prepare(schema);
        // No promise unless one is needed, so that calls continue in the order in which they were made.
        if (!(prepared instanceof Promise)) return judge(prepared, value, signal);
        return prepared.then((ready) => judge(ready, value, signal));
      } catch (error) {
        return Promise.reject(error);
      }
    },
    close: () => costly?.close(),
  };
}
