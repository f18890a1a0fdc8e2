import type { ErrorCode } from "yaml";

/** Says why a text is not YAML, in our own words: the library's messages may quote the text, and with it a secret. */
export function syntaxProblem(code: ErrorCode): string {
  return TEXTS[code];
}

const QUOTES = "put the value in quotes if it is meant as text";

const TEXTS = {
  ALIAS_PROPS: "An alias (*name) cannot have an anchor or a tag of its own.",
  BAD_ALIAS: `This is not a valid alias (*name); ${QUOTES}.`,
  BAD_DIRECTIVE: "This % directive is not valid YAML; remove the line.",
  BAD_DQ_ESCAPE:
    "This text in double quotes has an unknown \\ escape; write \\\\ for a backslash, or use single quotes.",
  BAD_INDENT: "The indentation does not fit the lines around it, or a closing bracket is missing.",
  BAD_PROP_ORDER: "An anchor (&name) or tag (!name) must come right before its value.",
  BAD_SCALAR_START: `A value cannot start with this character; ${QUOTES}.`,
  BLOCK_AS_IMPLICIT_KEY: `A second ': ' on this line starts a map where none can be; ${QUOTES}.`,
  BLOCK_IN_FLOW: "An indented block cannot be inside brackets; check for a missing closing bracket.",
  DUPLICATE_KEY: "This key is written twice in one map; remove one of them.",
  IMPOSSIBLE: "This cannot be read as YAML or JSON.",
  KEY_OVER_1024_CHARS: "This key is longer than 1024 characters; check for a missing quote or line break.",
  MISSING_CHAR: "A closing quote, a bracket, a comma, a colon or a space is missing here.",
  MULTILINE_IMPLICIT_KEY: "A key must be on one line; check for a missing ':' or quote.",
  MULTIPLE_ANCHORS: "A value can have only one anchor (&name).",
  MULTIPLE_DOCS: "A config file holds one document; remove the '---' and what does not belong to it.",
  MULTIPLE_TAGS: "A value can have only one tag (!name).",
  NON_STRING_KEY: "A key must be plain text.",
  RESOURCE_EXHAUSTION: "This is nested too deeply to be read.",
  TAB_AS_INDENT: "Tabs cannot indent YAML; use spaces.",
  TAG_RESOLVE_FAILED: "This tag (!name) is not supported; remove it.",
  UNEXPECTED_TOKEN: "This does not belong here; check for a missing quote, bracket or line break before it.",
  BAD_COLLECTION_TYPE: "This tag (!name) does not fit its value; remove it.",
} satisfies Record<ErrorCode, string>;
