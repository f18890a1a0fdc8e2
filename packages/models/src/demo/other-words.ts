/** What people say, and what tools call it. Only what a first try is likely to begin with. */
const SAID: readonly { readonly said: RegExp; readonly tools: string; readonly of?: "a file" | "folders" }[] = [
  { said: /\b(?:open|view|cat|print|display|see|show)\b(?:\s+me\b)?/gi, tools: "read file", of: "a file" },
  { said: /\bwhat(?:['’]s|\s+is|\s+does)\b(?:.*\b(?:in|inside|say))?\b/gi, tools: "read file", of: "a file" },
  { said: /\bhow\s+(?:big|large|old|long)\s+is\b/gi, tools: "info file", of: "a file" },
  {
    said: /\b(?:show|see|view|display)\b(?=.*\b(?:files|folders?|director(?:y|ies))\b)/gi,
    tools: "list",
    of: "folders",
  },
  { said: /\bwhat(?:['’]s|\s+is)\s+in\b(?=.*\b(?:folder|directory)\b)/gi, tools: "list", of: "folders" },
  { said: /\b(?:what|which)\s+(?=(?:files|folders)\b)|^\s*ls\b/gi, tools: "list directory", of: "folders" },
  { said: /\badd(?:ing)?(?=\s+[-+]?\d)|\bplus\b|(?<=\d\s*)\+(?=\s*\d)/gi, tools: "sum" },
  { said: /^\s*(?:please\s+)?say\b/gi, tools: "echo" },
];

const FILE = /(?<!\S)(?:\S*[/\\]\S*|[^\s.]\S*\.\p{L}\w{0,7})(?=[?!,;:.]*(?:\s|$))/gu;

/** With an ending: what has none may as well be a folder. */
const FILE_NAME = /(?<!\S)\S*[^\s./\\]\.\p{L}\w{0,7}(?=[?!,;:.]*(?:\s|$))/u;

export interface OtherWords {
  /** The text to find a tool by. */
  readonly query: string;
  /** Where the last of the words ends that stand for others. */
  readonly end: number;
}

/** Paths and names of files say what to act upon, not how: `read packing-list.md` lists nothing. */
export function withoutFiles(text: string): string {
  return text.replace(FILE, (file) => " ".repeat(file.length));
}

/** What a tool for it would say. */
export function inOtherWords(spoken: string): OtherWords {
  const namesFile = FILE_NAME.test(spoken);
  const text = withoutFiles(spoken);
  let query = text;
  let end = 0;
  for (const { said, tools, of } of SAID) {
    if (of !== undefined && (of === "a file") !== namesFile) continue;
    for (const { 0: words, index } of text.matchAll(said)) end = Math.max(end, index + words.length);
    query = query.replace(said, ` ${tools} `);
  }
  return { query, end };
}

const TAKES_AWAY = /^(?:delet|remov|eras|destroy|wip|drop|clear|purg|uninstall|kill|forget)/i;

/** A word that must not be overlooked: whoever wants a file deleted does not want it read instead. */
export function takesAway(word: string): boolean {
  return TAKES_AWAY.test(word);
}
