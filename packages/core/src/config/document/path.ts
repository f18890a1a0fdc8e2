/** Steps from the root of a document: map keys and list indexes. */
export type Path = readonly (string | number)[];

export function pathText(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    return text === "" ? printable(step) : `${text}.${printable(step)}`;
  }, "");
}

export function startsWith(path: Path, prefix: Path): boolean {
  return prefix.every((step, index) => path[index] === step);
}

/**
 * Makes a name from a file safe for messages: without control characters that a terminal would obey, and not too long.
 */
export function printable(name: string): string {
  const clean = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, "?");
  return clean.length > 100 ? `${clean.slice(0, 100)}…` : clean;
}
