const LONGEST_NAME = 100;

/** Gives out names that no two drafts share. The same texts in the same order always get the same names. */
export function createDraftNames(): (written: string) => string {
  const taken = new Set<string>();
  return (written) => {
    const name = firstFree(toServerName(written), LONGEST_NAME, "-", taken);
    taken.add(name);
    return name;
  };
}

/** What can be typed, shown and put into a tool's name: letters, digits and `_ . -`. */
function toServerName(written: string): string {
  const name = written
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}_.-]+/gu, "-")
    .replace(/^[-.]+|-+$/g, "");
  return shorten(name, LONGEST_NAME).replace(/-+$/, "") || "server";
}

/** `SERVER_FIELD`, without repeating a server that the field already names, and unlike every name given before. */
export function claimSecretName(server: string, field: string, taken: Set<string>): string {
  const owner = toWords(server);
  const own = toWords(field);
  const whole = own.startsWith(`${owner}_`) ? own : [owner, own].filter((part) => part !== "").join("_");
  const name = firstFree(shorten(whole, LONGEST_NAME) || "SECRET", LONGEST_NAME, "_", taken);
  taken.add(name);
  return name;
}

function toWords(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .toUpperCase();
}

function firstFree(name: string, longest: number, joint: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count += 1) {
    const suffix = `${joint}${count}`;
    free = `${shorten(name, longest - suffix.length)}${suffix}`;
  }
  return free;
}

// By whole characters: half of one is no text.
function shorten(text: string, longest: number): string {
  let short = "";
  for (const character of text) {
    if (short.length + character.length > longest) return short;
    short += character;
  }
  return short;
}
