import { Lexer } from "yaml";

/** Far more than any real config file has, far less than what overflows a stack. */
const MAX_NESTING_DEPTH = 100;

/** Marks that the lexer emits between tokens; they are not characters of the text. */
const DOCUMENT_MARK = "\u0002";
const FLOW_END_MARK = "\u0018";
const SCALAR_MARK = "\u001f";

/**
 * Returns the offset at which the text is nested too deeply, if it is. Composing YAML recurses, and a stack overflow
 * inside the JavaScript engine's regular-expression compiler ends the whole process, so this is checked before
 * composing.
 */
export function findExcessNesting(text: string): number | undefined {
  let offset = 0;
  let flowDepth = 0;
  let lineDepth = 0;
  let previous = "\n";
  for (const token of new Lexer().lex(text)) {
    const isText = previous === SCALAR_MARK;
    if (!isText && (token === "[" || token === "{")) flowDepth += 1;
    if (!isText && (token === "]" || token === "}")) flowDepth = Math.max(0, flowDepth - 1);
    if (token === FLOW_END_MARK) flowDepth = 0;
    // Every level of block structure needs one more column or one more of these characters on its line.
    if (!isText && flowDepth === 0 && (token === "-" || token === "?" || token === ":")) lineDepth += 1;
    if (previous.endsWith("\n")) lineDepth = /^ *$/.test(token) ? token.length : 0;
    if (flowDepth > MAX_NESTING_DEPTH || lineDepth > 2 * MAX_NESTING_DEPTH) return offset;
    previous = token;
    if (token !== DOCUMENT_MARK && token !== FLOW_END_MARK && token !== SCALAR_MARK) offset += token.length;
  }
  return undefined;
}
