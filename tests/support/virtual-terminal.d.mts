export interface Cell {
  /** Empty behind a character of two columns. */
  readonly text: string;
  /** The colour codes in force. */
  readonly style: readonly number[];
}

export interface VirtualTerminal {
  feed(output: string): void;
  resize(columns: number): void;
  /** Everything from the first line on, without blanks at the ends. */
  lines(): string[];
  cells(): readonly (readonly Cell[])[];
  cursor(): { row: number; column: number };
  /** Controls and sequences it did not understand. */
  unknown(): readonly string[];
}

/** As much of a terminal as Tacklebox writes for. */
export declare function createVirtualTerminal(size: { columns: number; rows: number }): VirtualTerminal;
