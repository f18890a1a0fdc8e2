export interface Phrase {
  /** As it once was in a page or a text of the program. */
  readonly written: string;
  /** What to write instead. */
  readonly better: string;
  /** A regular expression; each space stands for any white space. */
  readonly pattern: string;
}

/** Phrases that sound translated. */
export const PHRASES: readonly Phrase[] = [
  {
    written: "Leave it away and type it when asked",
    better: "Leave it out; you will be prompted",
    pattern: "\\b(?:leave|left|leaving) (?:it|them|this|that) away\\b|type it when asked",
  },
  {
    written: "every server and how it is",
    better: "the status of every server",
    pattern: "servers? and how (?:it is|they are)|how every server is",
  },
  {
    written: "find tools by what is to be done",
    better: "find tools by task",
    pattern: "what is to be done",
  },
  {
    written: "what was allowed for longer",
    better: "approvals for a session or for good",
    pattern: "\\b(?:allowed|given|hold|holds|lasts?) for longer",
  },
  {
    written: "the demo model, which does not think",
    better: "the demo model, which only matches words",
    pattern: "which does not think|matches words instead of thinking",
  },
  {
    written: "work a prompt to its end",
    better: "run a prompt to completion",
    pattern: "\\bwork(?:s|ed|ing)?(?: (?:a|the|one|your) prompt| it)? to its end",
  },
  {
    written: "the model came to its end",
    better: "the model finished",
    pattern: "\\b(?:come|comes|came) to (?:its|their|a good) end",
  },
  {
    written: "One can type at once; servers connect meanwhile",
    better: "You can type right away while servers connect",
    pattern: "\\b(?:one|you) can type at once|servers connect meanwhile",
  },
  {
    written: "everything is down: replaced: the server did not let go of a call",
    better: "'everything' was restarted: it ignored a cancelled call",
    pattern: "let(?:s|ting)? go of (?:a|the|its) call",
  },
  {
    written: "A key with nothing behind it is the same as none",
    better: "An empty key counts as missing",
    pattern: "with nothing behind it|is the same as none",
  },
  { written: "Nobody wrote", better: "If omitted", pattern: "\\bnobody wrote\\b" },
  {
    written: "tools that became others",
    better: "tools whose definition changed",
    pattern: "\\bbec(?:a|o)mes? others\\b",
  },
  {
    written: "made to take for ever",
    better: "that would never finish",
    pattern: "(?:made|built) to take for ?ever",
  },
  { written: "is told to you", better: "you are told", pattern: "\\btold to you\\b" },
  {
    written: "a door with nobody to ask denies it",
    better: "denied where nobody can be asked",
    pattern: "with nobody to ask",
  },
  { written: "make it anew", better: "regenerate it", pattern: "\\banew\\b" },
  {
    written: 'arguments: is missing "path"',
    better: 'missing argument "path"',
    pattern: "arguments: is missing",
  },
  {
    written: "takes over the servers",
    better: "imports the servers",
    pattern: "\\b(?:take|takes|took|taken|taking) over (?:the|its|their|all) servers|\\bservers taken over\\b",
  },
  {
    written: "go on with this conversation",
    better: "continue this conversation",
    pattern: "\\bgo(?:es|ing)? on with\\b",
  },
  {
    written: "what the way in says",
    better: "what the approval mode says",
    pattern: "\\bthe way in (?:says|decides)",
  },
  {
    written: "as far as is known",
    better: "if known",
    pattern: "as far as (?:it )?is known",
  },
  {
    written: "accept the present definitions",
    better: "accept the current definitions",
    pattern: "\\bpresent definitions?\\b",
  },
  {
    written: "You said yes to everything",
    better: "You allowed it",
    pattern: "\\byou said yes to\\b",
  },
  {
    written: "a silent program is waited for",
    better: "Tacklebox waits for a silent program",
    pattern: "\\b(?:is|are) waited for\\b",
  },
];

/** Words of GLOSSARY.md that only contributors know. */
export const INTERNAL_WORDS: readonly Phrase[] = [
  {
    written: "as the door decides",
    better: "say command line, chat or editor",
    // A key of the JSON that `calls` prints.
    pattern: "(?<!\\{ )\\bdoors?\\b",
  },
  {
    written: "a pinned definition",
    better: "say definition, or accepted definition",
    // The key of the config file is written with a colon.
    pattern: "\\bpin(?:s|ned|ning)?\\b(?!:)",
  },
];
