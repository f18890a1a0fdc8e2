import { findInexactNumbers, inexactText, type Json, type JsonSchema, type Validator } from "@tacklebox/core";
import { type FieldOption, type FormField, isNumbered } from "./form-field.ts";

/** The meaning of a typed line for a field. `decline` and `cancel` apply to the whole question. */
export type ParsedAnswer =
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "left-out" }
  | { readonly kind: "decline" }
  | { readonly kind: "cancel" }
  | { readonly kind: "problem"; readonly message: string };

/** Words that can be typed instead of an answer. */
export const WORDS = { skip: "/skip", decline: "/decline", cancel: "/cancel" } as const;

/** Examples, which say more about a format than its name. */
export const FORMAT_EXAMPLES: ReadonlyMap<unknown, string> = new Map([
  ["email", "ada@example.com"],
  ["uri", "https://example.com"],
  ["date", "2026-01-31"],
  ["date-time", "2026-01-31T09:30:00Z"],
]);

/** Parses one line as the answer to a field, and checks it against the field's schema. */
export async function parseAnswer(
  field: FormField,
  line: string,
  validator: Validator,
  signal: AbortSignal,
): Promise<ParsedAnswer> {
  const typed = line.trim();
  if (typed === WORDS.decline) return { kind: "decline" };
  if (typed === WORDS.cancel) return { kind: "cancel" };
  const { suggested, isRequired } = field;
  if (typed === WORDS.skip || (typed === "" && suggested === undefined))
    return isRequired ? problem("It cannot be left out.") : { kind: "left-out" };
  const given = typed === "" && suggested !== undefined ? found(suggested) : toValue(field, typed);
  return given.kind === "value" ? check(field, given.value, validator, signal) : given;
}

function problem(message: string): ParsedAnswer {
  return { kind: "problem", message };
}

function found(value: Json): ParsedAnswer {
  return { kind: "value", value };
}

function toValue({ input }: FormField, typed: string): ParsedAnswer {
  switch (input.kind) {
    case "text":
      return found(typed);
    case "yes-no":
      return toYesOrNo(typed);
    case "number":
      return toNumber(typed);
    case "json":
      return toJson(typed);
    case "one":
      return toOption(input.options, typed);
    case "some":
      return toOptions(input.options, typed);
  }
}

function toYesOrNo(typed: string): ParsedAnswer {
  const word = typed.toLowerCase();
  if (["y", "yes", "true"].includes(word)) return found(true);
  return ["n", "no", "false"].includes(word) ? found(false) : problem("Type yes or no.");
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function toNumber(typed: string): ParsedAnswer {
  const value = Number(typed);
  if (!NUMBER.test(typed) || !Number.isFinite(value)) return problem("It must be a number, such as 42.");
  // A larger integer would lose precision, so that a different number would be sent than was typed.
  if (/^[+-]?\d+$/.test(typed) && !Number.isSafeInteger(value)) return problem("It is too large to be sent exactly.");
  return found(value);
}

function toJson(typed: string): ParsedAnswer {
  try {
    const value = found(JSON.parse(typed));
    const [inexact] = findInexactNumbers(typed);
    return inexact === undefined ? value : problem(`It cannot be sent: ${inexactText(inexact)}.`);
  } catch {
    return problem('It must be JSON, such as {"a": 1}.');
  }
}

function findOption(options: readonly FieldOption[], typed: string): FieldOption | undefined {
  const same = options.find(({ title, value }) => title.trim() === typed || value === typed);
  const word = typed.toLowerCase();
  const match = same ?? options.find(({ title }) => title.trim().toLowerCase() === word);
  if (match !== undefined || !isNumbered(options) || !/^\d+$/.test(typed)) return match;
  return options[Number(typed) - 1];
}

function toOption(options: readonly FieldOption[], typed: string): ParsedAnswer {
  const option = findOption(options, typed);
  return option === undefined ? notListed(typed) : found(option.value);
}

function toOptions(options: readonly FieldOption[], typed: string): ParsedAnswer {
  const whole = findOption(options, typed);
  if (whole !== undefined) return found([whole.value]);
  const parts = typed.split(/^[\d\s,]+$/.test(typed) ? /[\s,]+/ : /\s*,\s*/).filter((part) => part !== "");
  const chosen = new Set<Json>();
  for (const part of parts) {
    const option = findOption(options, part);
    if (option === undefined) return notListed(part);
    chosen.add(option.value);
  }
  return found([...chosen]);
}

function notListed(typed: string): ParsedAnswer {
  return problem(`The list has no "${typed}".`);
}

/** The server checks the answer too, so a schema that cannot be checked here is left to it. */
async function check(
  { schema }: FormField,
  value: Json,
  validator: Validator,
  signal: AbortSignal,
): Promise<ParsedAnswer> {
  const firstProblem = async (wanted: JsonSchema) =>
    (await Promise.resolve(validator.check(wanted, value, signal)).catch(() => []))[0];
  const format = typeof schema.format === "string" ? schema.format : "";
  const example = FORMAT_EXAMPLES.get(format);
  if (example !== undefined && (await firstProblem({ format })) !== undefined)
    return problem(`It must have the format ${format}, such as ${example}.`);
  const wrong = await firstProblem(schema);
  return wrong === undefined ? found(value) : problem(`It ${wrong.message}.`);
}
