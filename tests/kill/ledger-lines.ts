import { readFile } from "node:fs/promises";

/** Returns the markers the ledger fixture has written, in order; none if it was never started. */
export async function ledgerMarkers(file: string): Promise<readonly string[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}
