import type { Paint } from "../../output/colour.ts";
import { readBlockMark } from "./block-mark.ts";
import { readInline } from "./inline.ts";
import { formatRows, isTableRow } from "./table-rows.ts";
import type { WordWrap } from "./word-wrap.ts";

/** Shows lines of Markdown that arrive in pieces, as soon as it is clear what each of them is. */
export interface MarkdownLines {
  /** Adds a piece to the current line. */
  grow(piece: string): void;
  endLine(): void;
  /** Shows everything that is held back. */
  end(): void;
}

export interface MarkdownLinesDeps {
  readonly write: (text: string) => void;
  readonly wrap: WordWrap;
  readonly paint: Paint;
  readonly columns: () => number;
}

type Line =
  /** Too short to tell what kind of line it is. */
  | { readonly kind: "begun"; readonly head: string }
  | { readonly kind: "text"; readonly rest: string; readonly isHeading: boolean }
  | { readonly kind: "code" }
  /** Held back until it is complete: fences, rules, table rows. */
  | { readonly kind: "whole"; readonly head: string };

const FENCE = /^\s{0,3}(`{3,}|~{3,})/;
const RULE = /^\s{0,3}([-*_])(?:\s*\1){2,}\s*$/;
/** Matches beginnings that may still become a fence, a rule, a heading, a list item or a quotation. */
const UNDECIDED = /^\s*(?:#{1,6}|[-*+_]|[-*_][-*_\s]*|\d{1,9}[.)]?|`{1,2}|~{1,2}|>)?$/;
const WHOLE = /^\s*(?:`{3}|~{3}|\||[-*_](?:\s*[-*_]){2,}\s*$)/;

/** Without colours, emphasis keeps its marks, since nothing else would show it. */
export function createMarkdownLines({ write, wrap, paint, columns }: MarkdownLinesDeps): MarkdownLines {
  const hasStyles = paint("", "bold") !== "";
  let line: Line = { kind: "begun", head: "" };
  let fence: string | undefined;
  let table: string[] = [];

  function grow(piece: string): void {
    if (line.kind === "text") growText(line.rest + piece, line.isHeading);
    else if (line.kind === "code") write(paint(piece, "cyan"));
    else if (line.kind === "whole") line = { kind: "whole", head: line.head + piece };
    else growHead(line.head + piece);
  }

  function growHead(head: string): void {
    if (fence !== undefined) growCode(head);
    else if (WHOLE.test(head)) line = { kind: "whole", head };
    else if (UNDECIDED.test(head)) line = { kind: "begun", head };
    else beginText(head);
  }

  function growCode(head: string): void {
    // It may be the closing fence.
    if (/^\s{0,3}[`~]*\s*$/.test(head)) {
      line = { kind: "begun", head };
      return;
    }
    line = { kind: "code" };
    write(paint(`  ${head}`, "cyan"));
  }

  function beginText(head: string): void {
    endTable();
    const { mark, below, text, isHeading } = readBlockMark(head, hasStyles);
    wrap.begin(mark, below);
    growText(text, isHeading);
  }

  function growText(text: string, isHeading: boolean, isWhole = false): void {
    if (!hasStyles) {
      wrap.add({ text });
      line = { kind: "text", rest: "", isHeading };
      return;
    }
    const { runs, rest } = readInline(text, isWhole);
    for (const run of runs) wrap.add(isHeading ? { style: "bold", ...run } : run);
    line = { kind: "text", rest, isHeading };
  }

  function endLine(): void {
    if (line.kind === "text") {
      growText(line.rest, line.isHeading, true);
      wrap.end();
    } else if (line.kind === "code") write("\n");
    else endShortLine(line.head);
    line = { kind: "begun", head: "" };
  }

  /** Ends a line that was held back until it was complete. */
  function endShortLine(head: string): void {
    const marks = FENCE.exec(head)?.[1];
    if (fence !== undefined) {
      const isEnd = marks?.startsWith(fence) === true && head.trim() === marks;
      if (isEnd) fence = undefined;
      else write(`${head === "" ? "" : paint(`  ${head}`, "cyan")}\n`);
      return;
    }
    if (marks !== undefined) {
      endTable();
      fence = marks;
      return;
    }
    if (isTableRow(head)) {
      table.push(head);
      return;
    }
    endTable();
    if (RULE.test(head)) write(`${paint("─".repeat(Math.min(40, columns() - 1)), "dim")}\n`);
    else if (head.trim() === "") write("\n");
    else {
      beginText(head);
      endLine();
    }
  }

  function endTable(): void {
    if (table.length === 0) return;
    write(formatRows(table, columns() - 1, paint));
    table = [];
  }

  return {
    grow,
    endLine,
    end() {
      if (line.kind !== "begun" || line.head !== "") endLine();
      endTable();
      fence = undefined;
    },
  };
}
