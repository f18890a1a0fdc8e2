import type { ServersPlace, Vault } from "@tacklebox/core";
import { isSameServer, type WrittenServer, whyUnsupported } from "../config-file/edit-servers.ts";
import type { CommandEnvironment } from "../io.ts";
import type { CollectedDraft } from "./collect-drafts.ts";
import { type DescribedServer, hintsOf } from "./describe-draft.ts";
import { refuseShort } from "./refuse-short.ts";
import { type SettledDraft, settleSecrets } from "./settle-secrets.ts";

/** The config that servers are taken over into. */
export interface Destination {
  readonly place: ServersPlace;
  readonly servers: readonly WrittenServer[];
}

export interface TakeOver {
  readonly servers: readonly DescribedServer[];
  /** What is to be written, by the name of the server. */
  readonly entries: ReadonlyMap<string, CollectedDraft["entry"]>;
  /** The secrets that those entries need, and that the vault does not have yet. */
  readonly toStore: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

/** Decides what becomes of each draft in this config. Stores and writes nothing. */
export async function takeOver(
  drafts: readonly CollectedDraft[],
  destination: Destination,
  vault: Vault | undefined,
  enable: boolean,
): Promise<TakeOver> {
  const claimed = new Map<string, string>();
  const toStore = new Map<string, string>();
  const entries = new Map<string, CollectedDraft["entry"]>();
  const servers: DescribedServer[] = [];
  const warnings: string[] = [];
  for (const draft of drafts) {
    const settled =
      vault === undefined ? unsettled(draft) : refuseShort(await settleSecrets(draft, vault, claimed), warnings);
    const described = place(settled, destination, enable);
    servers.push(described);
    if (described.result !== "added") continue;
    for (const [name, value] of settled.toStore) toStore.set(name, value);
    const { enabled: _off, ...entry } = settled.draft.entry;
    entries.set(draft.name, described.enabled ? entry : settled.draft.entry);
  }
  return { servers, entries, toStore, warnings };
}

/** Stores the secrets before `save`, because a config that refers to missing ones would not start. */
export async function storeAround<Saved extends { readonly kind: string }>(
  toStore: ReadonlyMap<string, string>,
  vault: Vault | undefined,
  save: () => Promise<Saved>,
): Promise<Saved> {
  for (const [name, value] of toStore) await vault?.put(name, value);
  const saved = await save();
  if (saved.kind === "refused") for (const name of toStore.keys()) await vault?.forget(name);
  return saved;
}

/** The variables of our environment that a server reads and that are not set: enabled, it would keep a config from loading. */
export function unsetVariables({ reads }: Pick<DescribedServer, "reads">, env: CommandEnvironment["env"]): string[] {
  return reads.filter((variable) => env[variable] === undefined);
}

function place(
  { draft, toStore, borrowed }: SettledDraft<CollectedDraft>,
  destination: Destination,
  enable: boolean,
): DescribedServer {
  const { name, file, shown, secrets } = draft;
  const heldBack = draft.heldBack ?? describeAsked(draft, borrowed);
  const enabled = enable && heldBack === undefined;
  const existing = destination.servers.find((server) => server.name === name);
  const cause = whyUnsupported(destination.place, draft.entry);
  const described = {
    name,
    from: file,
    ...shown,
    secrets: secrets.map((secret) => ({
      name: secret.name,
      where: secret.where,
      stored: secret.value !== undefined || borrowed.includes(secret.name),
    })),
    hints: hintsOf(secrets),
    heldBack: enable ? heldBack : undefined,
    cause,
  };
  if (existing !== undefined) {
    const isOn = existing.entry.enabled !== false && existing.entry.disabled !== true;
    const isSame = isSameServer(destination.place, existing, draft.entry);
    const stillMissing = described.secrets.map((secret) => ({
      ...secret,
      stored: secret.stored && !toStore.has(secret.name),
    }));
    return { ...described, secrets: stillMissing, result: isSame ? "unchanged" : "conflict", enabled: isOn };
  }
  if (cause !== undefined) return { ...described, result: "unsupported", enabled: false };
  return { ...described, result: "added", enabled };
}

function unsettled(draft: CollectedDraft): SettledDraft<CollectedDraft> {
  return { draft, toStore: new Map(), borrowed: [] };
}

/** Why a server that needs secrets stays disabled until a person agrees. */
function describeAsked({ secrets }: CollectedDraft, borrowed: readonly string[]): string | undefined {
  if (borrowed.length > 0) return `it would be given ${borrowed.join(", ")}, which the vault already has`;
  const asked = secrets.filter(({ value }) => value === undefined).map(({ name }) => name);
  return asked.length === 0 ? undefined : `it needs ${asked.join(", ")}`;
}
