import type { Json } from "@tacklebox/core";
import { cutToWidth } from "../../output/text-width.ts";
import { wrapText } from "../markdown/word-wrap.ts";
import type { Screen } from "../screen.ts";
import { type FieldOption, type FormField, isNumbered, plainText } from "./form-field.ts";
import { FORMAT_EXAMPLES, WORDS } from "./parse-answer.ts";
import { oneLine, quoteText } from "./quote-text.ts";

const MOST_OPTIONS = 40;
const LONGEST_SUGGESTION = 40;

/** What is asked, `place` saying which of how many it is. */
export function describeField(field: FormField, place: string, screen: Screen): string {
  const { title, description, isNeeded } = field;
  const ours = `${place}${isNeeded ? "" : ", optional"}: ${describeInput(field)}`;
  const options = "options" in field.input ? describeOptions(field.input.options) : "";
  return [
    wrapText([{ text: ours, style: "dim" }], screen, "  "),
    quoteText(title, screen, "bold"),
    description === "" ? "" : quoteText(description, screen),
    options === "" ? "" : quoteText(options, screen),
  ].join("");
}

/** What may be done instead of typing an answer. */
export function describeWays(field: FormField): string {
  const { suggested, isNeeded } = field;
  const ways: string[] = [WORDS.decline, WORDS.cancel];
  if (suggested !== undefined && !isNeeded) ways.unshift(WORDS.skip);
  if (suggested !== undefined)
    ways.unshift(`Enter: ${cutToWidth(describeValue(field, suggested), LONGEST_SUGGESTION)}`);
  else if (!isNeeded) ways.unshift("Enter: leave it out");
  return ways.join("  ");
}

/** An answer in the words it was asked for with, on one line. */
export function describeValue({ input }: FormField, value: Json): string {
  if (input.kind === "yes-no" && typeof value === "boolean") return value ? "yes" : "no";
  if (!("options" in input)) return oneLine(plainText(value));
  const chosen = [value].flat().map((one) => titleOf(input.options, one));
  return oneLine(chosen.join(", "));
}

const INPUTS = {
  text: "text",
  "yes-no": "yes or no",
  number: "a number",
  json: "as JSON",
  one: "one of these",
  some: "some of these, with commas between them",
} as const satisfies Record<FormField["input"]["kind"], string>;

function describeInput({ input, schema }: FormField): string {
  if (input.kind === "number" && schema.type === "integer") return "a whole number";
  const example = FORMAT_EXAMPLES.get(schema.format);
  return input.kind === "text" && example !== undefined ? `such as ${example}` : INPUTS[input.kind];
}

function describeOptions(options: readonly FieldOption[]): string {
  const mark = (at: number) => (isNumbered(options) ? String(at + 1) : "-");
  const rows = options.slice(0, MOST_OPTIONS).map(({ title }, at) => `${mark(at)} ${oneLine(title)}`);
  const left = options.length - MOST_OPTIONS;
  return [...rows, ...(left > 0 ? [`… and ${left} more`] : [])].join("\n");
}

function titleOf(options: readonly FieldOption[], value: Json): string {
  return options.find((option) => option.value === value)?.title ?? plainText(value);
}
