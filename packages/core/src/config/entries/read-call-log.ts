import * as z from "zod/mini";
import { type CallLogSettings, DEFAULT_CALL_LOG } from "../../domain/limits.ts";
import type { ReadContext } from "../dialects/dialect.ts";
import { checkShape } from "../document/check-shape.ts";
import { fillVariables } from "../fill-variables.ts";
import { oneOf, Period, whole } from "./fields.ts";

/** `calls`: how long calls are kept, and how durably. */
export const CallLogFields = z.strictObject(
  {
    keep: z.nullish(Period),
    keep_at_most: z.nullish(whole(1)),
    durability: z.nullish(oneOf(["full", "normal"])),
  },
  { error: "must be a map with keep, keep_at_most and durability" },
);

export function readCallLog(written: unknown, { env, report }: ReadContext): CallLogSettings {
  const filled = fillVariables(written ?? {}, ["calls"], { env, usedBy: "the call log" }, report);
  const fields = checkShape(CallLogFields, filled, ["calls"], report) ?? {};
  return {
    keepMs: fields.keep ?? DEFAULT_CALL_LOG.keepMs,
    keepAtMost: fields.keep_at_most ?? DEFAULT_CALL_LOG.keepAtMost,
    durability: fields.durability ?? DEFAULT_CALL_LOG.durability,
  };
}
