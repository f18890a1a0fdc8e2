import { describe, expect, it } from "vitest";
import { type Edit, editText, readValue, type Syntax } from "./edit-text.ts";

function edited(text: string, edit: Edit, syntax: Syntax = "yaml"): string {
  const result = editText(text, syntax, edit);
  if (result === undefined) throw new Error("not edited");
  return result;
}

/** The lines that are only in one of the two texts. */
function difference(before: string, after: string): { removed: string[]; added: string[] } {
  const added = after.split("\n");
  const removed = before.split("\n").filter((line) => {
    const at = added.indexOf(line);
    if (at !== -1) added.splice(at, 1);
    return at === -1;
  });
  return { removed, added };
}

const YAML = `# my servers   \n\nservers:   # all of them
  files:  # the first
    command:   npx
    args: [ -y,  "files" ]   # two


  # about notes
  notes: {command: notes,   args: ['a']}  # inline
  text:
    command: x
    description: |
      one

      two

  # the end of the servers

toolbox:
    max_concurrent: 3
`;

const JSONC = `{
\t// all of them
\t"servers": {
\t\t"files": { "command":  "npx" }, // the first
\t\t/* inline */ "notes": {"command": "notes"} // the last
\t},
\t"other":   [1,2 , 3]
}
`;

const add: Edit = { kind: "add", path: ["servers"], added: { new: { command: "node", args: ["-x"] } } };

describe("editing a YAML file", () => {
  it("adds a server below the others and leaves every other line as it was", () => {
    const after = edited(YAML, add);
    expect(difference(YAML, after)).toEqual({
      removed: [],
      added: ["  new:", "    command: node", "    args:", "      - -x"],
    });
    expect(after).toContain(
      "      two\n  new:\n    command: node\n    args:\n      - -x\n\n  # the end of the servers\n",
    );
  });

  it("removes a server and leaves every other line as it was", () => {
    expect(difference(YAML, edited(YAML, { kind: "remove", path: ["servers", "files"] }))).toEqual({
      removed: ["  files:  # the first", "    command:   npx", '    args: [ -y,  "files" ]   # two'],
      added: [],
    });
    expect(difference(YAML, edited(YAML, { kind: "remove", path: ["servers", "text"] })).added).toEqual([]);
  });

  it("adds a member to a server in either style", () => {
    const flag = (server: string): Edit => ({ kind: "add", path: ["servers", server], added: { enabled: false } });
    expect(difference(YAML, edited(YAML, flag("files")))).toEqual({ removed: [], added: ["    enabled: false"] });
    expect(difference(YAML, edited(YAML, flag("notes")))).toEqual({
      removed: ["  notes: {command: notes,   args: ['a']}  # inline"],
      added: [`  notes: {command: notes,   args: ['a'], "enabled": false}  # inline`],
    });
  });

  it("replaces a value and nothing around it", () => {
    const text = "servers:\n  a: # one\n    enabled:   false  # off\n    command: x";
    expect(edited(text, { kind: "replace", path: ["servers", "a", "enabled"], value: true })).toBe(
      "servers:\n  a: # one\n    enabled:   true  # off\n    command: x",
    );
  });

  it.each([
    ["", "servers:\n  new:\n    command: node\n    args:\n      - -x\n"],
    ["# only this\n", "# only this\nservers:\n  new:\n    command: node\n    args:\n      - -x\n"],
    ["servers:\n", "servers:\n  new:\n    command: node\n    args:\n      - -x\n"],
    ["servers: {} # none\na: 1\n", "servers: # none\n  new:\n    command: node\n    args:\n      - -x\na: 1\n"],
    ["a: 1", "a: 1\nservers:\n  new:\n    command: node\n    args:\n      - -x"],
    [
      "{}",
      '{\n  "servers": {\n    "new": {\n      "command": "node",\n      "args": [\n        "-x"\n      ]\n    }\n  }\n}',
    ],
    ["{a: 1}", '{a: 1, "servers": { "new": { "command": "node", "args": ["-x"] } }}'],
  ])("creates the map when there is none: %j", (text, after) => expect(edited(text, add)).toBe(after));

  it("adds to a list and removes from it", () => {
    const text =
      "myai:\n  toolbox:\n    mcps:\n    - name: a # first\n      url: x\n    # second\n    - name: b\n    tools: []\n";
    const path = ["myai", "toolbox", "mcps"];
    expect(edited(text, { kind: "add", path, added: [{ name: "c", mode: "strict" }] })).toBe(
      "myai:\n  toolbox:\n    mcps:\n    - name: a # first\n      url: x\n    # second\n    - name: b\n    - name: c\n      mode: strict\n    tools: []\n",
    );
    expect(edited(text, { kind: "remove", path: [...path, 0] })).toBe(
      "myai:\n  toolbox:\n    mcps:\n    # second\n    - name: b\n    tools: []\n",
    );
  });

  it("keeps the line breaks of Windows", () => {
    const text = "servers:\r\n  a:\r\n    command: x # y\r\n";
    expect(edited(text, { kind: "add", path: ["servers", "a"], added: { enabled: false } })).toBe(
      "servers:\r\n  a:\r\n    command: x # y\r\n    enabled: false\r\n",
    );
    expect(edited(text, { kind: "remove", path: ["servers", "a"] })).toBe("servers:\r\n");
  });

  it("escapes deceptive characters, and reads them back unchanged", () => {
    const args = ["\u202Etxt.exe", "one\ntwo", "\u001b[2J", "a\u200Bb", "\u{e0041}", "${secret:X}", "yes", "1", " x "];
    const after = edited("servers:\n", { kind: "add", path: ["servers"], added: { new: { command: "x", args } } });
    expect(after).toContain('"\\U0000202etxt.exe"');
    expect(after).not.toMatch(/[\p{Cf}\p{Zl}]/u);
    expect(readValue(after, "yaml")).toEqual({ servers: { new: { command: "x", args } } });
  });

  it.each([
    ["an alias that means more than one server", "a: &a {x: 1}\nservers: *a\n", add],
    ["a broken text", "servers: [", add],
    ["a value of another kind", "servers: text\n", add],
    ["two documents", "servers: {}\n---\nservers: {}\n", add],
    ["a server that is not there", "servers: {}\n", { kind: "remove", path: ["servers", "x"] } as const],
  ])("does not touch %s", (_what, text, edit) => expect(editText(text, "yaml", edit)).toBeUndefined());
});

describe("editing a JSON file", () => {
  it("adds a server after the comment of the last one", () => {
    expect(difference(JSONC, edited(JSONC, add, "json"))).toEqual({
      removed: ['\t\t/* inline */ "notes": {"command": "notes"} // the last'],
      added: [
        '\t\t/* inline */ "notes": {"command": "notes"}, // the last',
        '\t\t"new": {',
        '\t\t\t"command": "node",',
        '\t\t\t"args": [',
        '\t\t\t\t"-x"',
        "\t\t\t]",
        "\t\t}",
      ],
    });
  });

  it("removes a server with its comma", () => {
    const first = edited(JSONC, { kind: "remove", path: ["servers", "files"] }, "json");
    expect(difference(JSONC, first)).toEqual({
      removed: ['\t\t"files": { "command":  "npx" }, // the first'],
      added: ["\t\t// the first"],
    });
    const last = edited(JSONC, { kind: "remove", path: ["servers", "notes"] }, "json");
    expect(last).toContain('"files": { "command":  "npx" } // the first\n\t\t/* inline */ // the last\n\t},');
  });

  it.each([
    [
      "{}",
      '{\n  "servers": {\n    "new": {\n      "command": "node",\n      "args": [\n        "-x"\n      ]\n    }\n  }\n}',
    ],
    ['{"servers": null}', '{"servers": { "new": { "command": "node", "args": ["-x"] } }}'],
    ['{"servers": {"a": {},}}', '{"servers": {"a": {}, "new": { "command": "node", "args": ["-x"] }}}'],
  ])("adds to %s", (text, after) => expect(edited(text, add, "json")).toBe(after));

  it("adds a flag within one line and removes the only server", () => {
    const text = '{"servers": {"a": {"command": "x"}}}';
    expect(edited(text, { kind: "add", path: ["servers", "a"], added: { disabled: true } }, "json")).toBe(
      '{"servers": {"a": {"command": "x", "disabled": true}}}',
    );
    expect(edited(text, { kind: "remove", path: ["servers", "a"] }, "json")).toBe('{"servers": {}}');
  });

  it("adds several at once", () => {
    const two: Edit = { kind: "add", path: ["servers"], added: { b: { command: "y" }, c: { command: "z" } } };
    expect(edited('{"servers": {"a": {}}}', two, "json")).toBe(
      '{"servers": {"a": {}, "b": { "command": "y" }, "c": { "command": "z" }}}',
    );
    expect(edited("servers:\n  a: {}\n", two)).toBe("servers:\n  a: {}\n  b:\n    command: y\n  c:\n    command: z\n");
  });

  it("does not touch a broken text", () => expect(editText('{"servers": {', "json", add)).toBeUndefined());
});
