import { printableText } from "../../output/printable.ts";
import type { Screen } from "../screen.ts";
import { readInline } from "./inline.ts";
import { formatRows, isTableRow } from "./table-rows.ts";
import { createWordWrap } from "./word-wrap.ts";

/** Markdown that comes in pieces, shown as it comes. Nothing that was shown is ever drawn again. */
export interface MarkdownStream {
  write(piece: string): void;
  /** Shows what is held. */
  end(): void;
}

type Line =
  /** Too short to tell what it is. */
  | { readonly kind: "begun"; readonly head: string }
  | { readonly kind: "text"; readonly rest: string; readonly isHeading: boolean }
  | { readonly kind: "code" }
  /** Told when it is whole: fences, rules, tables. */
  | { readonly kind: "whole"; readonly head: string };

const FENCE = /^\s{0,3}(`{3,}|~{3,})/;
const RULE = /^\s{0,3}([-*_])(?:\s*\1){2,}\s*$/;
/** Beginnings that may still become a fence, a rule, a heading, a list item or a quotation. */
const UNDECIDED = /^\s*(?:#{1,6}|[-*+_]|[-*_][-*_\s]*|\d{1,9}[.)]?|`{1,2}|~{1,2}|>)?$/;
const WHOLE = /^\s*(?:`{3}|~{3}|\||[-*_](?:\s*[-*_]){2,}\s*$)/;
const BLOCK = /^(\s*)(?:(#{1,6})\s+|([-*+]|\d{1,9}[.)])\s+|((?:>\s?)+))/;
// A piece may end inside a character or between the two of a line end.
const HALF = /[\r\ud800-\udbff]$/;

/** Where there are no colours, emphasis stays as it is written: nothing else would show it. */
export function createMarkdownStream(screen: Pick<Screen, "stream" | "endLine" | "columns" | "paint">): MarkdownStream {
  const { paint } = screen;
  const hasStyles = paint("", "bold") !== "";
  let output = "";
  const write = (text: string) => {
    output += text;
  };
  const wrap = createWordWrap(write, paint, screen.columns);
  let held = "";
  let line: Line = { kind: "begun", head: "" };
  let fence: string | undefined;
  let table: string[] = [];

  function take(text: string): void {
    for (const piece of text.match(/[^\n]+|\n/g) ?? []) {
      if (piece === "\n") endLine();
      else grow(piece);
    }
  }

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
    // It may be what ends the code.
    if (/^\s{0,3}[`~]*\s*$/.test(head)) {
      line = { kind: "begun", head };
      return;
    }
    line = { kind: "code" };
    write(paint(`  ${head}`, "cyan"));
  }

  function beginText(head: string): void {
    endTable();
    const [mark = "", indent = "", hashes, bullet, quote] = BLOCK.exec(head) ?? [];
    const rest = head.slice(mark.length);
    if (hashes !== undefined) wrap.begin({ text: hasStyles ? "" : `${hashes} ` }, { text: "" });
    else if (bullet !== undefined) wrap.begin({ text: `${indent}${/\d/.test(bullet) ? bullet : "•"} ` });
    else if (quote !== undefined) {
      const bar = "│ ".repeat(quote.match(/>/g)?.length ?? 1);
      wrap.begin({ text: bar, style: "dim" }, { text: bar, style: "dim" });
    } else wrap.begin({ text: /^\s*/.exec(head)?.[0] ?? "" });
    growText(mark === "" ? head.trimStart() : rest, hashes !== undefined);
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

  /** A line that was held to its end. */
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
    if (RULE.test(head)) write(`${paint("─".repeat(Math.min(40, screen.columns() - 1)), "dim")}\n`);
    else if (head.trim() === "") write("\n");
    else {
      beginText(head);
      endLine();
    }
  }

  function endTable(): void {
    if (table.length === 0) return;
    write(formatRows(table, screen.columns() - 1, paint));
    table = [];
  }

  function flush(): void {
    wrap.flush();
    screen.stream(output);
    output = "";
  }

  return {
    write(piece) {
      const text = held + piece;
      held = HALF.exec(text)?.[0] ?? "";
      take(printableText(text.slice(0, text.length - held.length)));
      flush();
    },
    end() {
      take(printableText(held));
      held = "";
      if (line.kind !== "begun" || line.head !== "") endLine();
      endTable();
      fence = undefined;
      flush();
      screen.endLine();
    },
  };
}
