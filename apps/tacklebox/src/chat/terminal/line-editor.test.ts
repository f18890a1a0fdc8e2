import { describe, expect, it } from "vitest";
import type { Key } from "./keyboard.ts";
import { applyKey, EMPTY_DRAFT, type LineDraft, textOf, toLineDraft } from "./line-editor.ts";

/** `^a` is Ctrl-A, `~b` is Alt-B, `<left>` is a named key, and everything else types itself. */
function toKeys(keys: string): readonly Key[] {
  return [...keys.matchAll(/\^(\w)|~(\w)|<(\w+)>|(.)/gsu)].map(([, control, meta, named, typed]) => ({
    name: control ?? meta ?? named ?? typed?.toLowerCase() ?? "",
    text: typed ?? "",
    ctrl: control !== undefined,
    meta: meta !== undefined,
  }));
}

function type(keys: string, start: LineDraft = EMPTY_DRAFT): LineDraft {
  return toKeys(keys).reduce((draft, key) => {
    const step = applyKey(draft, key);
    return step.kind === "edited" ? step.draft : draft;
  }, start);
}

/** The text with a bar where the cursor is. */
function shown({ characters, cursor }: LineDraft): string {
  return [...characters.slice(0, cursor), "|", ...characters.slice(cursor)].join("");
}

describe("typing a line", () => {
  it.each([
    ["abc", "abc|"],
    ["abc<left><left>X", "aX|bc"],
    ["abc^aX", "X|abc"],
    ["abc^a<right>^k", "a|"],
    ["one two^w", "one |"],
    ["one two~b~b^d", "|ne two"],
    ["one two^aX~fY", "XoneY| two"],
    ["abc<backspace><backspace>", "a|"],
    ["one<enter>two^u", "one\n|"],
    ["one<enter>twenty<up>", "one|\ntwenty"],
    ["one<enter>two<up><home><down>", "one\n|two"],
  ])("%s gives %s", (keys, text) => expect(shown(type(keys))).toBe(text));

  it("moves and removes by graphemes", () => {
    const family = "👨‍👩‍👧";
    expect(shown(type("<left><left>", toLineDraft(`a${family}é`)))).toBe(`a|${family}é`);
    expect(shown(type("<backspace>", toLineDraft(`a${family}`)))).toBe("a|");
  });

  it("joins a combining mark to the letter before it", () => {
    expect(type("e\u0301").characters).toEqual(["e\u0301"]);
  });

  it("inserts a paste as text: newlines stay, control characters go, and nothing is submitted", () => {
    const paste: Key = { name: "", text: "one\ntwo\u001b[31m\u0003", ctrl: false, meta: false };
    const step = applyKey(EMPTY_DRAFT, paste);
    expect(step.kind === "edited" && textOf(step.draft)).toBe("one\ntwo[31m");
  });

  it.each([
    ["<return>", "submitted"],
    ["^c", "interrupted"],
    ["^d", "left"],
    ["<up>", "older"],
    ["<down>", "newer"],
    ["<tab>", "complete"],
    ["^l", "wipe"],
    ["<f5>", "ignored"],
  ])("on an empty line %s means %s", (keys, kind) => {
    expect(toKeys(keys).map((key) => applyKey(EMPTY_DRAFT, { ...key, text: "" }).kind)).toEqual([kind]);
  });
});
