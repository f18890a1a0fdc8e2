import { describe, expect, it } from "vitest";
import { choosePaint, type Paint, plain } from "../../output/colour.ts";
import { createMarkdownStream } from "./markdown-stream.ts";

const tags: Paint = (text, colour) => (colour === undefined ? text : `<${colour}>${text}</>`);

function render(
  pieces: readonly string[],
  { columns = 80, paint = tags }: { columns?: number; paint?: Paint } = {},
): string {
  let output = "";
  const stream = createMarkdownStream({
    paint,
    columns: () => columns,
    stream: (piece) => {
      output += piece;
    },
    endLine: () => {
      if (output !== "" && !output.endsWith("\n")) output += "\n";
    },
  });
  for (const piece of pieces) stream.write(piece);
  stream.end();
  return output;
}

describe("Markdown that comes in pieces", () => {
  it.each([
    ["**bold** and `code`", "<bold>bold</> and <cyan>code</>\n"],
    ["# Title", "<bold>Title</>\n"],
    ["- one\n* two\n1. three", "• one\n• two\n1. three\n"],
    ["> said", "<dim>│ </>said\n"],
    ["a *b* c", "a <italic>b</> c\n"],
    ["2 * 3 * 4 and snake_case_name", "2 * 3 * 4 and snake_case_name\n"],
    ["never **closed", "never **closed\n"],
    ["\\*not\\*", "*not*\n"],
    ["[words](http://x.example)", "words<dim> (http://x.example)</>\n"],
    ["array[0] and [1]", "array[0] and [1]\n"],
    ["```js\nlet **a** = 1;\n```\nafter", "<cyan>  let **a** = 1;</>\nafter\n"],
    ["a\n\nb", "a\n\nb\n"],
  ])("%j", (text, shown) => expect(render([text])).toBe(shown));

  it.each([
    "**bold** `x` *y* [a](b) - z",
    "- item **b**\n> q\n```\ncode\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    "1) x 你好 *ü*",
  ])("%j looks the same however it is cut", (text) => {
    const plainText = (paint: string) => paint.replaceAll(/<\w+>|<\/>/g, "");
    expect(plainText(render(Array.from(text)))).toBe(plainText(render([text])));
  });

  it("shows each word as soon as it is complete", () => {
    const shown: string[] = [];
    const stream = createMarkdownStream({
      paint: plain,
      columns: () => 80,
      stream: (piece) => void (piece !== "" && shown.push(piece)),
      endLine: () => undefined,
    });
    for (const piece of ["Hel", "lo wor", "ld and"]) stream.write(piece);
    expect(shown).toEqual(["Hello", " world"]);
  });

  it("breaks between words, and indents to the text of a list item", () => {
    expect(render(["- one two three four"], { columns: 12 })).toBe("• one two\n  three\n  four\n");
  });

  it("breaks wide text anywhere, and long words where the line ends", () => {
    expect(render(["你好你好你好"], { columns: 9 })).toBe("你好你好\n你好\n");
    expect(render(["abcdefghij"], { columns: 6 })).toBe("abcde\nfghij\n");
  });

  it("aligns the columns of a table that fits, and shows one that does not fit cell by cell", () => {
    const table = "| Name | Size |\n|---|---|\n| a | 1 |\n| long | 22 |\n";
    expect(render([table], { paint: plain })).toBe("Name  Size\na     1\nlong  22\n");
    expect(render([table], { paint: plain, columns: 9 })).toBe("Name: a\nSize: 1\n\nName: long\nSize: 22\n\n");
  });

  it("keeps the marks where there are no colours to replace them", () => {
    expect(render(["# A **b** `c`\n- d"], { paint: plain })).toBe("# A **b** `c`\n• d\n");
  });

  it("T18 no control character from the model reaches the terminal, in pieces or in code", () => {
    const hostile = "\u001b[31mred \u009b2J\n```\n\u001b]0;t\u0007\n```\n# \u202eback";
    const shown = render(Array.from(hostile), { paint: choosePaint(true, {}) });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours are control characters
    expect(shown.replaceAll(/\u001b\[\d+m/g, "")).toBe("\\x1b[31mred \\x9b2J\n  \\x1b]0;t\\x07\n\\u202eback\n");
  });
});
