export interface Cell {
  /** Empty in the cell after a two-column character. */
  readonly text: string;
  /** The colour codes in force. */
  readonly style: readonly number[];
}

export interface VirtualTerminal {
  feed(output: string): void;
  resize(columns: number): void;
  /** All lines from the first one, without trailing blanks. */
  lines(): string[];
  cells(): readonly (readonly Cell[])[];
  cursor(): { row: number; column: number };
  /** Controls and sequences it did not understand. */
  unknown(): readonly string[];
}

/** Creates a terminal that supports just what Tacklebox uses. */
export declare function createVirtualTerminal(size: { columns: number; rows: number }): VirtualTerminal;
