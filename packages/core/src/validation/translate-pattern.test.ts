import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { translatePattern } from "./translate-pattern.ts";

/** Texts on which the two syntaxes could differ. */
const TEXTS = [
  "",
  "a",
  "A",
  "_",
  "-",
  "0",
  "٣",
  "ä",
  "ß",
  "é",
  "α",
  "Я",
  "漢",
  "😀",
  "\n",
  "\r",
  "\t",
  "\v",
  "\b",
  "\u0000",
  "\u00a0",
  "\u2028",
  "\ufeff",
  " ",
  "a\n",
  "\na",
  "a b",
  "ab",
  "aab",
  "abc123",
  "a-b_c.d",
  "[a]",
  "{1}",
  "a/b",
  "a.b",
  "$5",
  "^",
  "\\",
  "2024-01-31",
  "2024-1-31",
  "user@example.org",
  "https://example.org/x?y=1#z",
  "deadbeef-dead-beef-dead-beefdeadbeef",
  "v1.2.3-rc.1",
  "foo:bar/baz",
  "AAAA====",
];

const PATTERNS = [
  "",
  "^$",
  "^a$",
  "a$",
  "^a|b$",
  "^(a|b)+$",
  "^.$",
  "^..$",
  "^\\d$",
  "^\\D$",
  "\\d+",
  "^\\w$",
  "^\\W$",
  "^\\w+$",
  "^\\s$",
  "^\\S$",
  "^[\\s]$",
  "^[^\\s]$",
  "^[\\S]$",
  "^[^\\S]$",
  "^[\\d\\s]$",
  "\\bab?\\b",
  "\\Bb",
  "^[\\b]$",
  "^[a-z]$",
  "^[^a-z]$",
  "^[A-Za-z0-9_-]+$",
  "^[\\w.-]+$",
  "^[\\-_]$",
  "^[\\]\\[]",
  "^[]$",
  "^[^]$",
  "^[^\\n]$",
  "^\\t|\\n|\\v|\\f|\\r$",
  "^\\0$",
  "^\\x41$",
  "^\\u00e4$",
  "^\\u{1F600}$",
  "^\\ud83d\\ude00$",
  "^[\\u{1F600}-\\u{1F64F}]$",
  "^[\\ud83d\\ude00-\\ud83d\\ude4f]$",
  "^[😀-😎]$",
  "^😀$",
  "^[α-ω]$",
  "^\\cI$",
  "^\\p{L}$",
  "^\\P{L}$",
  "^\\p{Lu}$",
  "^\\p{Letter}$",
  "^\\p{Script=Greek}$",
  "^[\\p{L}\\p{N}_]+$",
  "^\\p{gc=Nd}$",
  "^a{1,3}b?$",
  "^a{2}",
  "^a{1,}?b",
  "^(?:a|b)*?c?$",
  "^(?<year>\\d{4})-(?<month>\\d{2})-\\d{2}$",
  "^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$",
  "^https?:\\/\\/[^/]+(\\/.*)?$",
  "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
  "^v?\\d+\\.\\d+\\.\\d+(?:-[0-9A-Za-z-.]+)?$",
  "^[A-Za-z0-9+/]*={0,4}$",
  "^\\$\\d+(\\.\\d\\d)?$",
  "\\^|\\\\|\\.|\\{",
  "^[.$^*+?(){}|]$",
  "\\/",
];

describe("patterns mean in RE2 what they mean in JSON Schema", () => {
  it.each(PATTERNS)("%s", (source) => {
    const expected = new RegExp(source, "u");
    const translated = RE2JS.compile(translatePattern(source) ?? "not translated");
    const differing = TEXTS.filter((text) => expected.test(text) !== translated.test(text));
    expect(differing).toEqual([]);
  });

  it.each(["^\\-[a-z]+$", "^[\\w-.]+$", "\\#", "a{", "x{,3}", "]", "}", "^[[:alpha:]]"])(
    "%s, which only counts as a pattern without the u flag",
    (source) => {
      expect(() => new RegExp(source, "u")).toThrow();
      const translated = RE2JS.compile(translatePattern(source) ?? "not translated");
      const differing = TEXTS.filter((text) => new RegExp(source).test(text) !== translated.test(text));
      expect(differing).toEqual([]);
    },
  );

  it.each(["a(?=b)", "(?!b)a", "(?<=a)b", "(?<!a)b", "(a)\\1", "(?<x>a)\\k<x>", "^\\p{Alphabetic}$", "\\p{Emoji}"])(
    "leaves %s to whoever can match it",
    (source) => {
      expect(new RegExp(source, "u")).toBeInstanceOf(RegExp);
      expect(translatePattern(source)).toBeUndefined();
    },
  );
});
