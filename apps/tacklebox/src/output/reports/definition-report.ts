import { countOf, type UnseenDefinition } from "@tacklebox/core";
import type { Paint } from "../colour.ts";
import { printableJson, printableLine, printableText } from "../printable.ts";
import { formatDifference } from "../show-difference.ts";
import { cutToWidth, firstLine } from "../text-width.ts";

const MAX_LISTED = 20;
const MAX_DESCRIPTION = 100;
/** Few, because they reach no model: they say who is talking, and can be read elsewhere. */
const MAX_INSTRUCTION_LINES = 3;

export interface DefinitionStyle {
  readonly paint: Paint;
  /** Says how to read all of it. */
  readonly where: string;
  /** The columns of the terminal, so that every tool has one line; absent where lines are as long as they like. */
  readonly columns?: number | undefined;
}

/** Tells a person what is new or has changed, before a model gets it. */
export function formatNewDefinitions(definitions: readonly UnseenDefinition[], style: DefinitionStyle): string {
  const { paint, where } = style;
  const servers = byServer(definitions);
  const parts = Array.from(servers, ([server, own]) => {
    const changed = own.filter(({ before }) => before !== undefined);
    const fresh = own.filter(({ before }) => before === undefined);
    return [...formatNew(server, fresh, style), ...changed.flatMap((each) => formatChanged(server, each, paint))];
  });
  return `${parts.flat().join("\n")}\n${paint(where, "dim")}\n`;
}

/** Says which tools the model does not get, and what to do about it. */
export function formatWithheld(definitions: readonly UnseenDefinition[]): string {
  const servers = Array.from(byServer(definitions), ([server, own]) => {
    const names = own.slice(0, MAX_LISTED).map(({ shownName = "" }) => shownName);
    const more = own.length > names.length ? ` and ${own.length - names.length} more` : "";
    return `${names.join(", ")}${more} of '${server}'`;
  });
  return printableLine(
    `Left out, because nobody has seen their definitions yet: ${servers.join("; ")}. A chat, an editor, or \`tacklebox run\` on a terminal shows them; --approve auto skips this`,
  );
}

function formatNew(
  server: string,
  definitions: readonly UnseenDefinition[],
  style: DefinitionStyle,
): readonly string[] {
  const { paint } = style;
  const tools = definitions.filter(({ tool }) => tool !== undefined);
  const lines = tools
    .slice(0, MAX_LISTED)
    .map((each) => `${oneLine(`  ${describe(each)}`, style)}${hiddenMark(each, paint)}`);
  return [
    ...(tools.length === 0
      ? []
      : [paint(printableLine(`New from '${server}': ${countOf(tools.length, "tool")}`), "yellow"), ...lines]),
    ...(tools.length > lines.length ? [`  and ${tools.length - lines.length} more`] : []),
    ...definitions.filter(({ tool }) => tool === undefined).flatMap((each) => formatInstructions(server, each, style)),
  ];
}

function formatInstructions(server: string, unseen: UnseenDefinition, style: DefinitionStyle): readonly string[] {
  const { paint } = style;
  const text = typeof unseen.definition.instructions === "string" ? unseen.definition.instructions : "";
  const lines = printableText(text).split("\n");
  return [
    `${paint(printableLine(`Instructions of '${server}', which the model does not get:`), "yellow")}${hiddenMark(unseen, paint)}`,
    ...lines.slice(0, MAX_INSTRUCTION_LINES).map((line) => oneLine(`  ${line}`, style)),
    ...(lines.length > MAX_INSTRUCTION_LINES
      ? [`  and ${countOf(lines.length - MAX_INSTRUCTION_LINES, "more line")}`]
      : []),
  ];
}

function oneLine(text: string, { columns }: DefinitionStyle): string {
  return columns === undefined ? text : cutToWidth(text, columns - 1);
}

function formatChanged(server: string, unseen: UnseenDefinition, paint: Paint): readonly string[] {
  const what = unseen.tool === undefined ? "its instructions" : (unseen.shownName ?? unseen.tool);
  const title = paint(printableLine(`Changed by '${server}': ${what}`), "yellow");
  const difference = formatDifference(unseen.before ?? {}, unseen.definition, paint).trimEnd();
  return [`${title}${hiddenMark(unseen, paint)}`, difference];
}

function describe({ shownName = "", definition }: UnseenDefinition): string {
  const description = typeof definition.description === "string" ? definition.description : "";
  return printableLine(`${shownName}  ${cutToWidth(firstLine(description), MAX_DESCRIPTION)}`).trimEnd();
}

/** Marks text that a person cannot see: it is there for the model alone. */
function hiddenMark({ definition }: UnseenDefinition, paint: Paint): string {
  const text = JSON.stringify(definition).replaceAll(/\\[nrt]/g, "");
  return printableJson(text) === text && !/\\u00[01]/.test(text) ? "" : paint("  (has hidden characters)", "red");
}

function byServer(definitions: readonly UnseenDefinition[]): ReadonlyMap<string, readonly UnseenDefinition[]> {
  const servers = new Map<string, UnseenDefinition[]>();
  for (const each of definitions) servers.set(each.server, [...(servers.get(each.server) ?? []), each]);
  return servers;
}
