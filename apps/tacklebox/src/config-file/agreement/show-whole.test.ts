import { expect, it } from "vitest";
import { showWhole } from "./show-whole.ts";

it.each([
  ["npx", "npx"],
  ["a plain text, with ümläuts 漢字 and 😀", "a plain text, with ümläuts 漢字 and 😀"],
  ["", '""'],
  [" a", '" a"'],
  ["a  b", '"a  b"'],
  ["a\nb", '"a\\nb"'],
  ['"a"', '"\\"a\\""'],
  ["a\\u001b", '"a\\\\u001b"'],
  ["\u001b[2J", '"\\u001b[2J"'],
  ["\u202ea", '"\\u202ea"'],
  ["a\u00a0b", '"a\\u00a0b"'],
  ["a\u3000b", '"a\\u3000b"'],
  ["a\u2800b\u3164c", '"a\\u2800b\\u3164c"'],
  ["\u{e0041}", '"\\udb40\\udc41"'],
])("shows %j so that nothing in it can hide", (text, shown) => {
  expect(showWhole(text)).toBe(shown);
});
