import { describe, expect, it } from "vitest";
import { plain } from "../colour.ts";
import { formatNewDefinitions, formatWithheld } from "./definition-report.ts";

const evil = { scope: "agent", server: "evil" };
const tool = (name: string, description: string, more: object = {}) => ({
  ...evil,
  tool: name,
  shownName: name,
  definition: { name, description },
  ...more,
});

describe("what a person is shown before a model", () => {
  it("T15 lists new tools, quotes instructions and shows what changed, each server by itself", () => {
    const text = formatNewDefinitions(
      [
        { ...evil, definition: { instructions: "Be\nquick" } },
        tool("a", "Does this.\nAnd more"),
        tool("b", "\u202eDoes that."),
        tool("c", "New", { before: { name: "c", description: "Old" } }),
      ],
      { paint: plain, where: "Read more elsewhere." },
    );
    expect(text).toBe(`New from 'evil': 2 tools
  a  Does this.
  b  \\u202eDoes that.  (has hidden characters)
Instructions of 'evil', which the model does not get:
  Be
  quick
Changed by 'evil': c
  {
-   "description": "Old",
+   "description": "New",
    "name": "c"
  …
Read more elsewhere.
`);
  });

  it("T15 gives every tool one line of a narrow terminal, and marks what is hidden in the part that is cut", () => {
    const definitions = [tool("a", `Does ${"very ".repeat(10)}much`), tool("b", `Does ${"so ".repeat(10)}\u202emuch`)];
    const text = formatNewDefinitions(definitions, { paint: plain, where: "More.", columns: 20 });
    expect(text).toBe(`New from 'evil': 2 tools
  a  Does very ver…
  b  Does so so so…  (has hidden characters)
More.
`);
  });

  it("T15 says which tools are left out, and what to do", () => {
    expect(formatWithheld([tool("a", ""), tool("b", ""), { ...tool("c", ""), server: "good" }])).toBe(
      "Left out, because nobody has seen their definitions yet: a, b of 'evil'; c of 'good'. A chat, an editor, or `tacklebox run` on a terminal shows them; --approve auto skips this",
    );
  });
});
