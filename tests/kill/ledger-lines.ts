import { readFile } from "node:fs/promises";

/** The markers the ledger fixture has noted, in order; none while it was never started. */
export async function ledgerMarkers(file: string): Promise<readonly string[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}
