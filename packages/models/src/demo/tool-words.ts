/** Phrases people use, and the words tools use for them. Covers only what people are likely to try first. */
const PHRASES: readonly {
  readonly phrase: RegExp;
  readonly toolWords: string;
  readonly about?: "a file" | "folders";
}[] = [
  { phrase: /\b(?:open|view|cat|print|display|see|show)\b(?:\s+me\b)?/gi, toolWords: "read file", about: "a file" },
  { phrase: /\bwhat(?:['’]s|\s+is|\s+does)\b(?:.*\b(?:in|inside|say))?\b/gi, toolWords: "read file", about: "a file" },
  { phrase: /\bhow\s+(?:big|large|old|long)\s+is\b/gi, toolWords: "info file", about: "a file" },
  {
    phrase: /\b(?:show|see|view|display)\b(?=.*\b(?:files|folders?|director(?:y|ies))\b)/gi,
    toolWords: "list",
    about: "folders",
  },
  { phrase: /\bwhat(?:['’]s|\s+is)\s+in\b(?=.*\b(?:folder|directory)\b)/gi, toolWords: "list", about: "folders" },
  { phrase: /\b(?:what|which)\s+(?=(?:files|folders)\b)|^\s*ls\b/gi, toolWords: "list directory", about: "folders" },
  { phrase: /\badd(?:ing)?(?=\s+[-+]?\d)|\bplus\b|(?<=\d\s*)\+(?=\s*\d)/gi, toolWords: "sum" },
  { phrase: /^\s*(?:please\s+)?say\b/gi, toolWords: "echo" },
];

const FILE = /(?<!\S)(?:\S*[/\\]\S*|[^\s.]\S*\.\p{L}\w{0,7})(?=[?!,;:.]*(?:\s|$))/gu;

/** A file name with an extension; without one it might be a folder. */
const FILE_NAME = /(?<!\S)\S*[^\s./\\]\.\p{L}\w{0,7}(?=[?!,;:.]*(?:\s|$))/u;

export interface ToolWords {
  /** The text to search tools with. */
  readonly query: string;
  /** Where the last replaced phrase ends in the original text. */
  readonly end: number;
}

/** Blanks out paths and file names, which say what to act on, not how: `read packing-list.md` is not about listing. */
export function withoutFiles(text: string): string {
  return text.replace(FILE, (file) => " ".repeat(file.length));
}

/** Replaces phrases with the words a tool's description would use. */
export function toToolWords(spoken: string): ToolWords {
  const namesFile = FILE_NAME.test(spoken);
  const text = withoutFiles(spoken);
  let query = text;
  let end = 0;
  for (const { phrase, toolWords, about } of PHRASES) {
    if (about !== undefined && (about === "a file") !== namesFile) continue;
    for (const { 0: words, index } of text.matchAll(phrase)) end = Math.max(end, index + words.length);
    query = query.replace(phrase, ` ${toolWords} `);
  }
  return { query, end };
}

const DESTRUCTIVE = /^(?:delet|remov|eras|destroy|wip|drop|clear|purg|uninstall|kill|forget)/i;

/** Whether a word must not be ignored: a person who wants a file deleted does not want it read instead. */
export function isDestructive(word: string): boolean {
  return DESTRUCTIVE.test(word);
}
