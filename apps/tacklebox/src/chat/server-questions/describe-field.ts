import type { Json } from "@tacklebox/core";
import { cutToWidth } from "../../output/text-width.ts";
import { wrapText } from "../markdown/word-wrap.ts";
import type { Screen } from "../terminal/screen.ts";
import { type FieldOption, type FormField, isNumbered, plainText } from "./form-field.ts";
import { FORMAT_EXAMPLES, WORDS } from "./parse-answer.ts";
import { oneLine, quoteText } from "./quote-text.ts";

const MAX_OPTIONS = 40;
const MAX_SUGGESTION_LENGTH = 40;

/** Describes a field. `place` is its position, such as `1 of 3`. */
export function describeField(field: FormField, place: string, screen: Screen): string {
  const { title, description, isRequired } = field;
  const ours = `${place}${isRequired ? "" : ", optional"}: ${describeInput(field)}`;
  const options = "options" in field.input ? describeOptions(field.input.options) : "";
  return [
    wrapText([{ text: ours, style: "dim" }], screen, "  "),
    quoteText(title, screen, "bold"),
    description === "" ? "" : quoteText(description, screen),
    options === "" ? "" : quoteText(options, screen),
  ].join("");
}

/** Lists what the person can type instead of an answer. */
export function describeAlternatives(field: FormField): string {
  const { suggested, isRequired } = field;
  const alternatives: string[] = [WORDS.decline, WORDS.cancel];
  if (suggested !== undefined && !isRequired) alternatives.unshift(WORDS.skip);
  if (suggested !== undefined)
    alternatives.unshift(`Enter: ${cutToWidth(describeValue(field, suggested), MAX_SUGGESTION_LENGTH)}`);
  else if (!isRequired) alternatives.unshift("Enter: leave it out");
  return alternatives.join("  ");
}

/** Shows an answer on one line, using the titles of the options. */
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
  const rows = options.slice(0, MAX_OPTIONS).map(({ title }, at) => `${mark(at)} ${oneLine(title)}`);
  const left = options.length - MAX_OPTIONS;
  return [...rows, ...(left > 0 ? [`… and ${left} more`] : [])].join("\n");
}

function titleOf(options: readonly FieldOption[], value: Json): string {
  return options.find((option) => option.value === value)?.title ?? plainText(value);
}
