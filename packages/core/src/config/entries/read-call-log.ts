import * as z from "zod/mini";
import { type CallLogSettings, DEFAULT_CALL_LOG } from "../../domain/limits.ts";
import type { ReadContext } from "../dialects/dialect.ts";
import { checkShape } from "../document/check-shape.ts";
import { fillVariables } from "../fill-variables.ts";
import { oneOf, Period, whole } from "./fields.ts";

/** `calls`: how many calls are kept and for how long, how much of their results, and how durably. */
export const CallLogFields = z.strictObject(
  {
    keep: z.nullish(Period),
    keep_at_most: z.nullish(whole(1)),
    keep_bytes: z.nullish(whole(64 * 1024)),
    keep_result_bytes: z.nullish(whole(1024)),
    durability: z.nullish(oneOf(["full", "normal"])),
  },
  { error: "must be a map with keep, keep_at_most, keep_bytes, keep_result_bytes and durability" },
);

export function readCallLog(written: unknown, { env, report }: ReadContext): CallLogSettings {
  const filled = fillVariables(written ?? {}, ["calls"], { env, usedBy: "the call log" }, report);
  const fields = checkShape(CallLogFields, filled, ["calls"], report) ?? {};
  return {
    keepMs: fields.keep ?? DEFAULT_CALL_LOG.keepMs,
    keepAtMost: fields.keep_at_most ?? DEFAULT_CALL_LOG.keepAtMost,
    keepBytes: fields.keep_bytes ?? DEFAULT_CALL_LOG.keepBytes,
    keepResultBytes: fields.keep_result_bytes ?? DEFAULT_CALL_LOG.keepResultBytes,
    durability: fields.durability ?? DEFAULT_CALL_LOG.durability,
  };
}
