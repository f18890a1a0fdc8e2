/** Steps from the root of a file: map keys and list indexes. */
export type EditPath = readonly (string | number)[];

/** A value of a file with its offsets in the text. `end` is just past the last visible character. */
export type TextNode =
  | {
      readonly kind: "map";
      readonly style: Style;
      readonly start: number;
      readonly end: number;
      readonly parts: readonly Part[];
    }
  | {
      readonly kind: "list";
      readonly style: Style;
      readonly start: number;
      readonly end: number;
      readonly parts: readonly Part[];
    }
  | { readonly kind: "value"; readonly start: number; readonly end: number; readonly isNull: boolean };

/** Block style is laid out by lines and indentation, flow style by brackets and commas. */
export type Style = "block" | "flow";

/** A member of a map, starting at its key, or an item of a list. */
export interface Part {
  readonly step: string | number;
  readonly start: number;
  readonly end: number;
  readonly node: TextNode;
}

/** Members to add to a map, or items to add to a list. */
export type Added = Readonly<Record<string, unknown>> | readonly unknown[];

/** A replacement for the text from `start` to `end`. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function partAt(node: TextNode, step: string | number): Part | undefined {
  return node.kind === "value" ? undefined : node.parts.find((part) => part.step === step);
}

export function nodeAt(root: TextNode, path: EditPath): TextNode | undefined {
  return path.reduce<TextNode | undefined>((node, step) => node && partAt(node, step)?.node, root);
}

export function applySplices(text: string, splices: readonly Splice[]): string {
  const lastFirst = splices.map((splice, order) => ({ ...splice, order }));
  lastFirst.sort((a, b) => b.start - a.start || b.order - a.order);
  return lastFirst.reduce(
    (edited, { start, end, text: part }) => edited.slice(0, start) + part + edited.slice(end),
    text,
  );
}

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

/** The end of the line without its line break. */
export function lineEnd(text: string, offset: number): number {
  const found = text.indexOf("\n", offset);
  const end = found === -1 ? text.length : found;
  return end > offset && text[end - 1] === "\r" ? end - 1 : end;
}

export function lineBreakOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}
