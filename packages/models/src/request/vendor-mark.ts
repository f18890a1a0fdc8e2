import type { SharedV3ProviderOptions } from "@ai-sdk/provider";
import { isJsonObject, type JsonObject, type ModelDefinition, type VendorMark } from "@tacklebox/core";

/** Metadata, by provider, that the model SDK sends with a part and needs back with it. */
export type PartMarks = SharedV3ProviderOptions;

/** Identifies the one model that may get a mark back. */
export function originOf({ vendor, modelId }: ModelDefinition): string {
  return `${vendor}/${modelId}`;
}

/** `origin` identifies the model: any other would ignore or refuse these signatures and item ids. */
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
    // OpenAI sends null for members it does not know yet, or no longer repeats.
    const known = Object.entries(members).filter(([, value]) => value !== null && value !== undefined);
    merged[provider] = { ...merged[provider], ...Object.fromEntries(known) };
  }
  return merged;
}

function isPartMarks(marks: JsonObject): marks is JsonObject & PartMarks {
  return Object.values(marks).every(isJsonObject);
}
