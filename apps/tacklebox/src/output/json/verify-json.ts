import type { Break, ChainReport } from "@tacklebox/storage/sqlite/upkeep";
import { isIntact } from "../reports/verify-report.ts";

/** The output of `calls verify --json`. Fields may be added, never renamed. */
export interface VerifyJson {
  readonly ok: boolean;
  readonly verified: number;
  readonly before: number;
  readonly removed: number;
  readonly open: number;
  readonly links: number;
  readonly since?: string;
  readonly head?: { readonly hash: string; readonly at: string };
  readonly expected?: "found" | "before-repair" | "not-found";
  readonly repaired?: {
    readonly at: string;
    readonly kept: number;
    readonly lost: number;
    readonly changed: number;
    readonly head?: string;
  };
  /** The first 100. */
  readonly broken: readonly BreakJson[];
  readonly broken_count: number;
}

interface BreakJson {
  readonly kind: Break["kind"];
  readonly text: string;
  readonly id?: string;
  readonly server?: string;
  readonly tool?: string;
  readonly started_at?: string;
}

export const VERIFY_JSON_SHAPE = `{ ok, verified, before, removed, open, links, since?, head?: { hash, at }, 
    expected?: "found" | "before-repair" | "not-found", repaired?: { at, kept, lost, changed, head? }, broken_count,
    broken: [{ kind: "changed" | "missing" | "unrecorded" | "link", text, id?, server?, tool?, started_at? }] }`;

export function toVerifyJson(report: ChainReport): VerifyJson {
  const { verified, before, removed, open, links, since, head, expected, repaired, broken, brokenCount } = report;
  return {
    ok: isIntact(report),
    verified,
    before,
    removed,
    open,
    links,
    ...(since === undefined ? {} : { since }),
    ...(head === undefined ? {} : { head }),
    ...(expected === undefined ? {} : { expected }),
    ...(repaired === undefined ? {} : { repaired: toRepairedJson(repaired) }),
    broken: broken.map(toBreakJson),
    broken_count: brokenCount,
  };
}

function toRepairedJson({ at, kept, lost, changed, head }: NonNullable<ChainReport["repaired"]>) {
  return { at, kept, lost, changed, ...(head === null ? {} : { head }) };
}

function toBreakJson({ kind, text, call }: Break): BreakJson {
  if (call === undefined) return { kind, text };
  const { id, server, tool, startedAt } = call;
  return {
    kind,
    text,
    id,
    ...(server === undefined ? {} : { server }),
    ...(tool === undefined ? {} : { tool }),
    ...(startedAt === undefined ? {} : { started_at: startedAt }),
  };
}
