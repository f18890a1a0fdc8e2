import { expect, it } from "vitest";
import { outlineOf, textNestsDeeper } from "./text-nesting.ts";

const nested = (levels: number, core = "1") => "[".repeat(levels) + core + "]".repeat(levels);

it("counts levels of arrays and objects", () => {
  expect(textNestsDeeper(nested(10), 10)).toBe(false);
  expect(textNestsDeeper(nested(11), 10)).toBe(true);
  expect(textNestsDeeper('{"a":'.repeat(11) + "1".padEnd(12, "}"), 10)).toBe(true);
  expect(textNestsDeeper(`[${"[],".repeat(100)}[]]`, 10)).toBe(false);
});

it.each([
  ["in a text", `["${nested(50, "")}"]`],
  ["after an escaped quote", `["\\"${nested(50, "")}"]`],
  ["in a text that ends in a backslash, before a bracket", `["${nested(50, "")}\\\\",1]`],
  ["in a text that never ends", `["${"[".repeat(50)}`],
])("brackets %s are no levels", (_, text) => expect(textNestsDeeper(text, 10)).toBe(false));

it("a text that ends in a backslash does not hide what follows", () => {
  expect(textNestsDeeper(`["\\\\",${nested(20)}]`, 10)).toBe(true);
});

it("an outline keeps what is at the top, whatever is nested beside it", () => {
  const text = `{"id":"call-1","result":${nested(5_000)},"note":"] } \\" {","meta":{"id":2},"jsonrpc":"2.0"}`;
  expect(JSON.parse(outlineOf(text))).toEqual({
    id: "call-1",
    result: null,
    note: '] } " {',
    meta: null,
    jsonrpc: "2.0",
  });
});

it("an outline keeps as many levels as it is told to", () => {
  expect(outlineOf('{"a":[1,{"b":[2]}],"c":{}}', 2)).toBe('{"a":[1,null],"c":{}}');
});

it.each([1, 63, 64, 65, 200])("a string of %i characters before an escaped quote ends where it ends", (length) => {
  const plain = "x".repeat(length);
  expect(textNestsDeeper(`["${plain}\\"${nested(50, "")}",1]`, 10)).toBe(false);
  expect(textNestsDeeper(`["${plain}\\\\",${nested(20)}]`, 10)).toBe(true);
});
