import { expect, it } from "vitest";
import { findInexactNumbers, inexactText } from "./inexact-numbers.ts";

it.each([
  "9007199254740993",
  "-9007199254740993",
  "12345678901234567890",
  "9.007199254740993e15",
  "9007199254740993.0",
  "1e400",
  "-1E+400",
  "1e-400",
  "12345678901234567890.5",
  "9".repeat(400),
])("%s would be altered", (written) => {
  expect(findInexactNumbers(`{"n":${written}}`)).toEqual([{ path: "/n", written }]);
});

it.each([
  "0",
  "-0",
  "0e999",
  "0.000000000000000000",
  "9007199254740992",
  "9007199254740994",
  "1e23",
  "100000000000000000000000",
  "1e300",
  "3.141592653589793238462643",
  "1700000000000.25",
  "5e-324",
])("%s is kept", (written) => expect(findInexactNumbers(`[${written}]`)).toEqual([]));

it("digits in texts and keys are no numbers", () => {
  expect(findInexactNumbers('{"9007199254740993":"9007199254740993 \\" 1e400"}')).toEqual([]);
});

it("names the place, in nested arrays and objects, with its key unescaped", () => {
  const text = '{"a":[1,{"b":"x,y"},{"c/d":[[],9007199254740993]}],"\\u0065":1e400}';
  expect(findInexactNumbers(text, 5)).toEqual([
    { path: "/a/2/c~1d/1", written: "9007199254740993" },
    { path: "/e", written: "1e400" },
  ]);
});

it("says what to do, without repeating digits for pages", () => {
  expect(inexactText({ path: "/id", written: "9007199254740993" })).toBe(
    "the number 9007199254740993 at /id cannot be kept exactly; write it as a string",
  );
  expect(inexactText({ path: "", written: "9".repeat(5_000) }).length).toBeLessThan(120);
});
