import { type ChangedTool, canonicalJson, isJsonObject, type Json, type JsonObject } from "@tacklebox/core";
import type { Paint } from "./colour.ts";
import { printableJson, printableLine, printableText } from "./printable.ts";
import { formatDifference, formatLineDifference } from "./show-difference.ts";

const NOT_KEPT = "  The accepted definition was not kept, so nothing can be compared. The new one:";

/** Shows, by meaning, how a tool's definition differs from the accepted one. Ends in a newline. */
export function formatChangedTool({ tool, before, definition }: ChangedTool, server: string, paint: Paint): string {
  const title = paint(printableLine(`Tool '${tool}' of server '${server}' changed:`), "yellow");
  if (before === undefined) return `${title}\n${NOT_KEPT}\n${indent(printed(definition).join("\n"), "    ")}\n`;
  const {
    description: oldText,
    inputSchema: oldInput,
    annotations: oldNotes,
    outputSchema: oldOutput,
    ...old
  } = before;
  const { description, inputSchema, annotations, outputSchema, ...rest } = definition;
  const parts = [
    part("description", formatText(oldText, description, paint)),
    ...formatInput(objectOf(oldInput), objectOf(inputSchema), paint),
    part("annotations", formatMembers(objectOf(oldNotes), objectOf(annotations), paint)),
    part("output schema", formatJson(oldOutput, outputSchema, paint)),
    part("everything else", formatJson(old, rest, paint)),
  ];
  return `${title}\n${parts.join("")}`;
}

function part(name: string, difference: string): string {
  return difference === "" ? "" : `  ${name}\n${indent(difference.trimEnd(), "    ")}\n`;
}

function formatText(before: Json | undefined, after: Json | undefined, paint: Paint): string {
  return isSame(before, after) ? "" : formatLineDifference(textLines(before), textLines(after), paint);
}

function textLines(text: Json | undefined): readonly string[] {
  return typeof text === "string" ? printableText(text).split("\n") : [];
}

function formatJson(before: Json | undefined, after: Json | undefined, paint: Paint): string {
  if (isSame(before, after)) return "";
  if (before === undefined) return paintLines("+", printed(after), "green", paint);
  if (after === undefined) return paintLines("-", printed(before), "red", paint);
  return formatDifference(before, after, paint);
}

/** The parameters one by one, then whatever else the schema says. */
function formatInput(before: JsonObject, after: JsonObject, paint: Paint): readonly string[] {
  const { properties: oldProperties, required: oldRequired, ...old } = before;
  const { properties, required, ...rest } = after;
  const was = parametersOf(objectOf(oldProperties), namesIn(oldRequired));
  const is = parametersOf(objectOf(properties), namesIn(required));
  return [
    part("parameters", formatMembers(was, is, paint)),
    part("the rest of the input schema", formatJson(old, rest, paint)),
  ];
}

/** Whether a parameter is required is said with the parameter. */
function parametersOf(properties: JsonObject, required: ReadonlySet<string>): JsonObject {
  const names = new Set([...Object.keys(properties), ...required]);
  return Object.fromEntries(
    Array.from(names, (name) => {
      const schema = own(properties, name) ?? {};
      const described = isJsonObject(schema) ? schema : { schema };
      return [name, { ...described, required: required.has(name) }];
    }),
  );
}

function formatMembers(before: JsonObject, after: JsonObject, paint: Paint): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.map((name) => formatMember(name, own(before, name), own(after, name), paint)).join("");
}

function formatMember(name: string, before: Json | undefined, after: Json | undefined, paint: Paint): string {
  const shown = printableLine(name);
  if (isSame(before, after)) return "";
  if (before === undefined) return `${paint(`+ ${shown}: ${oneLine(after)}`, "green")}\n`;
  if (after === undefined) return `${paint(`- ${shown}: ${oneLine(before)}`, "red")}\n`;
  if (isJsonObject(before) && isJsonObject(after))
    return `${shown}\n${indent(formatMembers(before, after, paint).trimEnd(), "  ")}\n`;
  return `${shown}: ${paint(oneLine(before), "red")} → ${paint(oneLine(after), "green")}\n`;
}

function oneLine(value: Json | undefined): string {
  return printableJson(JSON.stringify(value) ?? "");
}

function printed(value: Json | undefined): readonly string[] {
  return printableJson(JSON.stringify(value, undefined, 2) ?? "").split("\n");
}

function paintLines(sign: string, lines: readonly string[], colour: "red" | "green", paint: Paint): string {
  return lines.map((line) => `${paint(`${sign} ${line}`, colour)}\n`).join("");
}

function own(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function namesIn(value: Json | undefined): ReadonlySet<string> {
  return new Set(Array.isArray(value) ? value.filter((name) => typeof name === "string") : []);
}

function isSame(before: Json | undefined, after: Json | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  return canonicalJson(before) === canonicalJson(after);
}

function indent(text: string, by: string): string {
  return text.replaceAll(/^/gm, by);
}
