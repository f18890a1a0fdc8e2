const MAX_NAME_LENGTH = 100;

/**
 * Returns a function that gives every draft a unique name. The same texts in the same order always get the same names.
 */
export function createDraftNames(): (written: string) => string {
  const taken = new Set<string>();
  return (written) => {
    const name = firstFree(toServerName(written), MAX_NAME_LENGTH, "-", taken);
    taken.add(name);
    return name;
  };
}

/** Keeps what can be typed, shown and used in a tool's name: letters, digits and `_ . -`. */
function toServerName(written: string): string {
  const name = written
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}_.-]+/gu, "-")
    .replace(/^[-.]+|-+$/g, "");
  return shorten(name, MAX_NAME_LENGTH).replace(/-+$/, "") || "server";
}

/** Returns an unused name `SERVER_FIELD`, or `FIELD` if that already starts with the server's name. */
export function claimSecretName(server: string, field: string, taken: Set<string>): string {
  const owner = toUpperSnakeCase(server);
  const own = toUpperSnakeCase(field);
  const whole = own.startsWith(`${owner}_`) ? own : [owner, own].filter((part) => part !== "").join("_");
  const name = firstFree(shorten(whole, MAX_NAME_LENGTH) || "SECRET", MAX_NAME_LENGTH, "_", taken);
  taken.add(name);
  return name;
}

function toUpperSnakeCase(text: string): string {
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

// Cuts between code points, so that no surrogate pair is split.
function shorten(text: string, longest: number): string {
  let short = "";
  for (const character of text) {
    if (short.length + character.length > longest) return short;
    short += character;
  }
  return short;
}
