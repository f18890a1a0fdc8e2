import { describe, expect, it } from "vitest";
import { printableJson, printableLine, printableText } from "./printable.ts";

describe("T18 text from servers is made printable before a person sees it", () => {
  it.each([
    ["terminal commands", "\u001b[31mred\u001b[0m", "\\x1b[31mred\\x1b[0m"],
    ["C1 controls", "\u009b31m", "\\x9b31m"],
    ["bells, backspaces and deletes", "a\u0007b\u0008c\u007f", "a\\x07b\\x08c\\x7f"],
    ["text that reads backwards", "user\u202etxt.exe\u2066", "user\\u202etxt.exe\\u2066"],
    ["zero-width characters", "a\u200bb\u200dc\ufeff", "a\\u200bb\\u200dc\\ufeff"],
    ["tag characters", "hi\u{e0041}", "hi\\u{e0041}"],
    ["F20 variation selectors", "a\ufe00b\ufe0fc\u{e0100}\u{e01ef}", "a\\ufe00b\\ufe0fc\\u{e0100}\\u{e01ef}"],
    ["F20 selectors after the one that an emoji has", "❤\ufe0f\ufe0f\u{e0101}", "❤\ufe0f\\ufe0f\\u{e0101}"],
    ["F20 fillers that look like nothing", "a\u3164b\u115fc\uffa0", "a\\u3164b\\u115fc\\uffa0"],
    ["half of a surrogate pair", "a\ud800b", "a\\ud800b"],
    ["a carriage return that would overwrite the line", "safe\revil", "safe\\revil"],
  ])("%s", (_, text, shown) => {
    expect(printableText(text)).toBe(shown);
    expect(printableLine(text)).toBe(shown);
  });

  it("leaves ordinary text of any language alone", () => {
    const text = "Grüße, 你好, 👋 שלום ❤\ufe0f 1\ufe0f\u20e3 Silben\u00adtrennung";
    expect(printableText(text)).toBe(text);
    expect(printableLine(text)).toBe(text);
  });

  it("keeps newlines and tabs in text of several lines and makes them visible in one line", () => {
    expect(printableText("a\r\nb\tc\n")).toBe("a\nb\tc\n");
    expect(printableLine("a\r\nb\tc")).toBe("a\\r\\nb\\tc");
  });

  it("escapes such characters in JSON without changing its value", () => {
    const value = { "a\u202e": "\u001b[31m \u009b \u200b \u{e0041} \ud800 \n Grüße 👋 ❤\ufe0f\u{e0100}" };
    const json = printableJson(`${JSON.stringify(value)}\n`);
    expect(json).toBe(
      '{"a\\u202e":"\\u001b[31m \\u009b \\u200b \\udb40\\udc41 \\ud800 \\n Grüße 👋 ❤\\ufe0f\\udb40\\udd00"}\n',
    );
    expect(JSON.parse(json)).toEqual(value);
  });
});
