import { isJsonObject, type Json, type JsonObject, type JsonSchema } from "@tacklebox/core";

/** One field of a server's form. */
export interface FormField {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** The value that an empty line stands for. */
  readonly suggested: Json | undefined;
  readonly input: FieldInput;
  readonly schema: JsonSchema;
}

/** How the answer is typed: directly, or as one or several options of a list. */
export type FieldInput =
  | { readonly kind: "text" | "yes-no" | "number" | "json" }
  | { readonly kind: "one" | "some"; readonly options: readonly FieldOption[] };

export interface FieldOption {
  readonly value: Json;
  readonly title: string;
}

/** The fields of a form, in order. Servers may ask for anything; types we have no input for are typed as JSON. */
export function toFields({ properties, required }: JsonSchema): readonly FormField[] {
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(isJsonObject(properties) ? properties : {}).map(([name, property]) => {
    const schema = isJsonObject(property) ? property : {};
    return {
      name,
      title: textIn(schema.title) ?? name,
      description: textIn(schema.description) ?? "",
      isRequired: needed.includes(name),
      suggested: schema.default,
      input: toInput(schema),
      schema,
    };
  });
}

/** Options that are numbers themselves cannot be chosen by position, because `2` would be ambiguous. */
export function isNumbered(options: readonly FieldOption[]): boolean {
  return !options.some(({ title, value }) => isWhole(title) || isWhole(plainText(value)));
}

const TYPED = { string: "text", boolean: "yes-no", number: "number", integer: "number" } as const;

function toInput(schema: JsonObject): FieldInput {
  const options = optionsOf(schema);
  if (options.length > 0) return { kind: "one", options };
  const several = isJsonObject(schema.items) ? optionsOf(schema.items) : [];
  if (several.length > 0) return { kind: "some", options: several };
  const type = [schema.type].flat().find((one) => one !== "null");
  return { kind: typeof type === "string" && isTyped(type) ? TYPED[type] : "json" };
}

function isTyped(type: string): type is keyof typeof TYPED {
  return Object.hasOwn(TYPED, type);
}

/** Titles are next to the values in `oneOf` and `anyOf`, and in a separate list in the older `enumNames`. */
function optionsOf({ enum: values, enumNames, oneOf, anyOf }: JsonObject): readonly FieldOption[] {
  if (Array.isArray(values)) {
    const names: readonly Json[] = Array.isArray(enumNames) ? enumNames : [];
    return values.map((value, at) => ({ value, title: textIn(names[at]) ?? plainText(value) }));
  }
  const listed: unknown = oneOf ?? anyOf;
  if (!Array.isArray(listed)) return [];
  const options = listed.flatMap((option) => {
    if (!isJsonObject(option) || option.const === undefined) return [];
    return { value: option.const, title: textIn(option.title) ?? plainText(option.const) };
  });
  // Unless every alternative is a constant, they describe the form of a value and are not a list of options.
  return options.length === listed.length ? options : [];
}

function textIn(value: Json | undefined): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** Formats a value for people. */
export function plainText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isWhole(text: string): boolean {
  return /^\d+$/.test(text.trim());
}
