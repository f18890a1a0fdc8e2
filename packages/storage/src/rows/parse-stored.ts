import type { Schema } from "@tacklebox/core";
import { damagedRow, type RowLocation } from "./damaged-row.ts";

/** Throws StoreError `damaged-row` if the stored value does not match the schema. */
export function parseStored<T>(schema: Schema<T>, value: unknown, locate: () => RowLocation): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw damagedRow(locate());
  return parsed.data;
}

/** Like parseStored, for values stored as JSON text. */
export function parseStoredText<T>(schema: Schema<T>, text: string, locate: () => RowLocation): T {
  return parseStored(schema, parseJson(text, locate), locate);
}

function parseJson(text: string, locate: () => RowLocation): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw damagedRow(locate(), error);
  }
}
