import { mirroredText, type RegisteredTool, type ToolApproval } from "@tacklebox/core";
import { wrapText } from "../../chat/markdown/word-wrap.ts";
import { describeConstraints, describeType, requiredFirst } from "../../tool-arguments/describe-shape.ts";
import { sampleCall } from "../../tool-arguments/sample-call.ts";
import { type Member, readShapes, type SchemaShapes } from "../../tool-arguments/schema-shapes.ts";
import { formatSignature } from "../../tool-arguments/signature.ts";
import type { Paint } from "../colour.ts";
import { printableLine, printableText } from "../printable.ts";
import { textWidth } from "../text-width.ts";
import { toolClaims } from "../tool-claims.ts";

export interface ToolReportStyle {
  readonly paint: Paint;
  readonly columns: number;
  /** The config file to name in the example, if one was named here. */
  readonly config: string | undefined;
}

/** Everything a person needs to call one tool. Almost all of it was written by a server, so it is made printable. */
export function formatTool(registered: RegisteredTool, style: ToolReportStyle): string {
  const { tool } = registered;
  const shapes = readShapes(tool.inputSchema);
  const [top] = shapes.of(tool.inputSchema);
  const members = top === undefined ? [] : requiredFirst(shapes.membersOf(top));
  const parts = [
    wrapped(printableLine(formatSignature(registered)), "", style, "bold"),
    printableText(tool.description.trim()) === "" ? "" : wrapped(tool.description.trim(), "", style),
    members.length === 0 ? "It takes no arguments.\n" : formatArguments(members, shapes, style),
    formatFacts(registered, style),
    `${style.paint("Example", "bold")}\n  ${printableLine(sampleCall(registered, style.config))}\n`,
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function formatArguments(members: readonly Member[], shapes: SchemaShapes, style: ToolReportStyle): string {
  const shown = members.slice(0, MAX_MEMBERS);
  const width = Math.min(Math.max(...shown.map(({ name }) => textWidth(printableLine(name)))), MAX_NAME_WIDTH);
  const lines = shown.map((member) => formatArgument(member, shapes, width, style));
  const more = members.length - shown.length;
  const rest = more === 0 ? "" : `  and ${more} more; --json has all of them\n`;
  return `${style.paint("Arguments", "bold")}\n${lines.join("")}${rest}`;
}

const MAX_MEMBERS = 100;
const MAX_NAME_WIDTH = 24;

function formatArgument(
  { name, required, schema, description }: Member,
  shapes: SchemaShapes,
  width: number,
  style: ToolReportStyle,
): string {
  const facts = [
    describeType(schema, shapes),
    required ? "required" : "optional",
    ...describeConstraints(schema, shapes),
  ];
  const shownName = printableLine(name);
  const head = `  ${shownName}${" ".repeat(Math.max(width - textWidth(shownName), 0))}  `;
  const text = description.trim() === "" ? "" : wrapped(description.trim(), " ".repeat(width + 4), style, "dim");
  return wrapped(printableLine(facts.join(", ")), head, style) + text;
}

function formatFacts(registered: RegisteredTool, { paint }: ToolReportStyle): string {
  const { ref, shownName, limits, approval, include, tool } = registered;
  const named = ref.name === shownName ? "" : `, which calls it ${ref.name}`;
  const output = tool.outputSchema;
  const facts: readonly (readonly [string, string])[] = [
    ["Server", `${ref.server}${named}`],
    ["Limits", `${limits.maxInstances} at once, ${limits.timeoutMs / 1000} s each`],
    ["Approval", APPROVAL[approval ?? "unset"]],
    ["Models", MODELS[include]],
    ["Claims", `${toolClaims(tool.raw).text} This is not verified.`],
    ...(output === undefined ? [] : [["Returns", describeType(output, readShapes(output))] as const]),
    ...(tool.mirrored === undefined
      ? []
      : [["Headers", `repeats arguments in HTTP headers: ${mirroredText(tool.mirrored)}`] as const]),
  ];
  const width = Math.max(...facts.map(([about]) => about.length));
  return facts
    .map(([about, text]) => `${paint(about, "bold")}${" ".repeat(width - about.length)}  ${printableLine(text)}\n`)
    .join("");
}

const APPROVAL = {
  auto: "runs without asking (approval: auto)",
  ask: "asks first; denied where nobody can be asked (approval: ask)",
  deny: "always denied (approval: deny)",
  unset: "a chat or an editor asks first; the command line runs it without asking",
} as const satisfies Record<ToolApproval | "unset", string>;

const MODELS = {
  always: "always see it (include: always)",
  manual: "see it once a person adds it (include: manual)",
  agent: "see it once a search finds it (include: agent)",
} as const satisfies Record<RegisteredTool["include"], string>;

/** Wraps each line, and indents what follows the first one. */
function wrapped(text: string, head: string, { paint, columns }: ToolReportStyle, style?: "bold" | "dim"): string {
  const indent = " ".repeat(textWidth(head));
  return printableText(text)
    .split("\n")
    .map((line, index) => {
      const begin = index === 0 ? head : indent;
      if (line.trim() === "") return "\n";
      const run = { text: line, ...(style !== undefined && { style }) };
      return wrapText([run], { paint, columns: () => columns }, begin);
    })
    .join("");
}
