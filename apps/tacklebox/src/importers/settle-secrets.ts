import type { ImportDraft, Vault } from "@tacklebox/core";

export interface SettledDraft<Draft extends ImportDraft> {
  readonly draft: Draft;
  /** Secrets the vault does not have yet, by name. */
  readonly toStore: ReadonlyMap<string, string>;
  /** Secrets the server refers to without bringing a value, and that the vault already has. */
  readonly borrowed: readonly string[];
}

/**
 * Gives each secret a name under which the vault holds either the same value or nothing, so that an import neither
 * overwrites another secret nor gets to use it. Importing the same draft again yields the same names.
 */
export async function settleSecrets<Draft extends ImportDraft>(
  draft: Draft,
  vault: Vault,
  claimed: Map<string, string>,
): Promise<SettledDraft<Draft>> {
  const stored = new Set((await vault.list()).map(({ name }) => name));
  const toStore = new Map<string, string>();
  const renamed = new Map<string, string>();
  for (const { name, value } of draft.secrets) {
    if (value === undefined) continue;
    let free = name;
    for (let count = 2; !(await isFreeFor(free, value)); count += 1) free = `${name}_${count}`;
    renamed.set(name, free);
    claimed.set(free, value);
    if (!stored.has(free)) toStore.set(free, value);
  }
  const borrowed = draft.secrets.flatMap(({ name, value }) => (value === undefined && stored.has(name) ? [name] : []));
  return { draft: rename(draft, renamed), toStore, borrowed };

  async function isFreeFor(name: string, value: string): Promise<boolean> {
    const other = claimed.get(name);
    if (other !== undefined) return other === value;
    return !stored.has(name) || vault.use(name, (current) => current === value);
  }
}

function rename<Draft extends ImportDraft>(draft: Draft, names: ReadonlyMap<string, string>): Draft {
  const newName = (name: string) => names.get(name) ?? name;
  const rewrite = (text: string) =>
    text.replace(/\$\{secret:([^}]*)\}/g, (_reference, name: string) => `\${secret:${newName(name)}}`);
  const { shown } = draft;
  return {
    ...draft,
    entry: mapTexts(draft.entry, rewrite),
    secrets: draft.secrets.map((secret) =>
      secret.value === undefined ? secret : { ...secret, name: newName(secret.name) },
    ),
    shown: {
      ...shown,
      ...(shown.command === undefined ? {} : { command: shown.command.map(rewrite) }),
      ...(shown.url === undefined ? {} : { url: rewrite(shown.url) }),
    },
  };
}

function mapTexts(map: Readonly<Record<string, unknown>>, change: (text: string) => string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, mapText(value, change)]));
}

function mapText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapText(item, change));
  return typeof value === "object" && value !== null ? mapTexts({ ...value }, change) : value;
}
