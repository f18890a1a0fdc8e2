import { describeDemands, describeDifference } from "./describe-demands.ts";
import { toStored } from "./record.ts";
import type { Proposal } from "./require-agreement.ts";

/** What a person has to see before agreeing to a file: all that it asks for, and what is new since the last time. */
export function describeProposal({ file, demands, before }: Proposal): string {
  const parts = [`${file}\nThis config file asks for:\n`, describeDemands(demands)];
  if (before !== undefined) {
    const difference = describeDifference(before.demands, toStored(demands));
    parts.push(
      difference === "" ? SAME : `What changed since you agreed to it on ${dayOf(before.at)}:\n\n${difference}`,
    );
  }
  return parts.join("\n");
}

const SAME =
  "The programs, addresses, variables and secrets are the same as when you agreed to it. Something that is not shown here changed, such as a credential.\n";

function dayOf(at: string): string {
  return at.slice(0, 10);
}
