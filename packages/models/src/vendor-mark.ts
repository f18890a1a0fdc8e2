import type { SharedV3ProviderOptions } from "@ai-sdk/provider";
import { isJsonObject, type JsonObject, type VendorMark } from "@tacklebox/core";

/** What the model SDK tells with a part and wants to see again with it, by provider. */
export type PartMarks = SharedV3ProviderOptions;

/** `origin` names the model: signatures and item ids mean nothing, or are refused, anywhere else. */
export function toMark(marks: PartMarks | undefined, origin: string): VendorMark | undefined {
  if (marks === undefined || Object.values(marks).every((members) => Object.keys(members).length === 0))
    return undefined;
  return { origin, marks };
}

export function fromMark(mark: VendorMark | undefined, origin: string): PartMarks | undefined {
  if (mark === undefined || mark.origin !== origin || !isJsonObject(mark.marks)) return undefined;
  return isPartMarks(mark.marks) ? mark.marks : undefined;
}

export function mergeMarks(one: PartMarks | undefined, other: PartMarks | undefined): PartMarks | undefined {
  if (one === undefined || other === undefined) return other ?? one;
  const merged = { ...one };
  for (const [provider, members] of Object.entries(other)) {
    // OpenAI says null where it has nothing to say yet, or no more.
    const known = Object.entries(members).filter(([, value]) => value !== null && value !== undefined);
    merged[provider] = { ...merged[provider], ...Object.fromEntries(known) };
  }
  return merged;
}

function isPartMarks(marks: JsonObject): marks is JsonObject & PartMarks {
  return Object.values(marks).every(isJsonObject);
}
