/** Steps from the root of a document: map keys and list indexes. */
export type Path = readonly (string | number)[];

export function pathText(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    return text === "" ? shown(step) : `${text}.${shown(step)}`;
  }, "");
}

export function startsWith(path: Path, prefix: Path): boolean {
  return prefix.every((step, index) => path[index] === step);
}

/** A name from a file as a message may hold it: a terminal must not obey it, nor a screen be filled by it. */
export function shown(name: string): string {
  const printable = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, "?");
  return printable.length > 100 ? `${printable.slice(0, 100)}…` : printable;
}
