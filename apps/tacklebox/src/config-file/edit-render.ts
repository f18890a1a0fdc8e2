import { Document, isScalar, visit } from "yaml";

// Invisible characters and those that reverse the direction of text are escaped, so that readers of the file see them.
const INVISIBLE = /[\p{Cf}\p{Zl}\p{Zp}\u0080-\u009f]/gu;
const NEEDS_QUOTES = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Renders YAML in block style as unindented lines. */
export function renderYaml(value: unknown): readonly string[] {
  const document = new Document(value);
  visit(document, {
    Scalar(_key, node) {
      if (isScalar(node) && typeof node.value === "string" && NEEDS_QUOTES.test(node.value)) node.type = "QUOTE_DOUBLE";
    },
  });
  const text = document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY });
  return text
    .replace(INVISIBLE, (character) => `\\U${hex(character, 8)}`)
    .trimEnd()
    .split("\n");
}

/** Renders multi-line JSON as lines that the caller indents. */
export function renderJson(value: unknown, unit: string): readonly string[] {
  return escapeJson(JSON.stringify(value, undefined, unit)).split("\n");
}

/** Renders JSON in one line, which is valid YAML in flow style as well. */
export function renderJsonLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(renderJsonLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return escapeJson(JSON.stringify(value));
  const members = Object.entries(value).map(([key, member]) => `${renderJsonLine(key)}: ${renderJsonLine(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

function escapeJson(text: string): string {
  return text.replace(INVISIBLE, (character) =>
    [...Array(character.length).keys()].map((at) => `\\u${hexCode(character.charCodeAt(at), 4)}`).join(""),
  );
}

function hex(character: string, digits: number): string {
  return hexCode(character.codePointAt(0) ?? 0, digits);
}

function hexCode(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}
