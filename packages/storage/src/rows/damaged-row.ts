import { StoreError } from "@tacklebox/core";

/** Where a value is stored, for messages to people who have to repair it. */
export interface RowLocation {
  /** Names the row, such as `The session "a"`. */
  readonly what: string;
  readonly table: string;
  /** Set if only this column is damaged. */
  readonly column?: string;
}

export function damagedRow({ what, table, column }: RowLocation, cause?: unknown): StoreError {
  const damaged = column === undefined ? "its row" : `the column ${column} of its row`;
  return new StoreError(
    "damaged-row",
    `${what} cannot be read: ${damaged} is damaged. ` +
      `Restore the file from a backup, or delete that row from the table ${table}.`,
    cause,
  );
}
