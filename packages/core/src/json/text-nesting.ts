import { afterText } from "./text-scan.ts";

const QUOTE = 0x22;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Whether a JSON text nests objects and arrays more than `levels` deep. Read from the text, before it is parsed: the
 * parsed value would take many times the memory of a text that is nothing but brackets.
 */
export function textNestsDeeper(text: string, levels: number): boolean {
  // Every level takes an opening and a closing character, so that nearly all messages need no scan.
  if (text.length <= 2 * levels) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = afterText(text, at) - 1;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1;
      if (depth > levels) return true;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
  }
  return false;
}

/**
 * A JSON text with every object and array more than `levels` deep replaced by null. What is left can be parsed however
 * deep the original is; even one level of it says which message it was.
 */
export function outlineOf(text: string, levels = 1): string {
  let outline = "";
  let kept = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = afterText(text, at) - 1;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1;
      if (depth === levels + 1) outline += `${text.slice(kept, at)}null`;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      if (depth === levels + 1) kept = at + 1;
      depth -= 1;
    }
  }
  return outline + text.slice(kept);
}
