import type { Break, ChainReport } from "@tacklebox/storage/sqlite/upkeep";

/** Whether nothing speaks against the call log. */
export function isIntact({ brokenCount, expected }: ChainReport): boolean {
  return brokenCount === 0 && expected !== "not-found";
}

/** The report of `tacklebox calls verify` for people. */
export function formatVerification(report: ChainReport): string {
  const { broken, brokenCount, verified, before, removed, open, repaired, head } = report;
  const lines = [
    ...broken.map(formatBreak),
    ...(brokenCount > broken.length ? [`and ${brokenCount - broken.length} more`] : []),
    ...(brokenCount === 0 ? [] : [""]),
    `${calls(verified)} verified: unchanged since they ended.`,
    ...(before === 0 ? [] : [`${calls(before)} from before the chain began: unchanged since then.`]),
    ...(removed === 0 ? [] : [`${calls(removed)} removed, as the config says ('keep', 'keep_at_most', 'keep_bytes').`]),
    ...(open === 0 ? [] : [`${calls(open)} not ended yet.`]),
  ];
  if (repaired !== undefined) {
    const { at, kept, lost, changed } = repaired;
    const doubtful =
      changed === 0 ? "" : ` Of those kept, ${changed} ${changed === 1 ? "was" : "were"} not as recorded.`;
    lines.push(`The file was repaired at ${at}: ${calls(kept)} kept, ${calls(lost)} known to be lost.${doubtful}`);
  }
  if (head !== undefined) lines.push(`Head: ${head.hash} (link ${report.links}, ${head.at})`);
  return `${[...lines, "", verdict(report)].join("\n")}\n`;
}

function verdict({ brokenCount, expected, repaired }: ChainReport): string {
  if (brokenCount > 0)
    return `The call log was changed: ${brokenCount === 1 ? "1 break" : `${brokenCount} breaks`} in the chain.`;
  if (expected === "not-found") {
    const renewed = repaired && `, or the hash is from before the repair of ${repaired.at}, which began a new chain`;
    return (
      "The expected hash is not in the chain. Either the end of the chain was cut off, or the whole chain was rewritten, " +
      `or the calls up to that hash were removed, as the config says${renewed ?? ""}.`
    );
  }
  if (expected === "before-repair")
    return (
      `The call log is intact since the repair of ${repaired?.at}, which began a new chain. The expected hash was the ` +
      "head of the chain before it: nothing had been cut off or rewritten until then."
    );
  if (expected === "found") return "The call log is intact, and the expected hash is in the chain.";
  return (
    "The call log is intact. Keep the head, the hash above, in another place: given to --expect later, " +
    "it shows whether anything was cut off or rewritten."
  );
}

function formatBreak({ text, call }: Break): string {
  if (call === undefined) return `BROKEN  ${text}`;
  const { id, server, tool, startedAt } = call;
  const name = server === undefined ? id : `${id} (${server} ${tool}, ${startedAt})`;
  return `BROKEN  ${name}: ${text}`;
}

function calls(count: number): string {
  return count === 1 ? "1 call" : `${count} calls`;
}
