import type { Engine } from "@tacklebox/core";
import { printableLine } from "../output/printable.ts";
import { cutToWidth } from "../output/text-width.ts";

export type FoundId =
  | { readonly kind: "found"; readonly id: string }
  | { readonly kind: "refused"; readonly message: string };

/** What can be named by an id, or by the beginning of one that nothing else has. */
interface Listed {
  readonly noun: "call" | "session" | "grant";
  /** The command that shows the ids. */
  readonly list: string;
  readonly has: (id: string) => Promise<boolean>;
  /** At most `limit` whose id begins with the text, the newest first, each with what tells it from the others. */
  readonly beginningWith: (start: string, limit: number) => Promise<readonly Candidate[]>;
}

interface Candidate {
  readonly id: string;
  readonly about: string;
}

/** Shorter ones are more likely a slip than meant, and a revocation or removal cannot be taken back. */
const MIN_LENGTH = 4;
const MAX_LISTED = 10;
const MAX_ABOUT = 60;

export function findCallId(given: string, { calls }: Engine): Promise<FoundId> {
  return findId(given, {
    noun: "call",
    list: "tacklebox calls",
    has: async (id) => (await calls.get(id)) !== undefined,
    async beginningWith(idPrefix, limit) {
      const { items } = await calls.list({ idPrefix, limit });
      return items.map(({ id, startedAt, server, toolName }) => ({ id, about: `${startedAt}  ${server} ${toolName}` }));
    },
  });
}

export function findSessionId(given: string, { sessions }: Engine, list = "tacklebox sessions list"): Promise<FoundId> {
  return findId(given, {
    noun: "session",
    list,
    has: async (id) => (await sessions.get(id)) !== undefined,
    async beginningWith(idPrefix, limit) {
      const { items } = await sessions.list({ idPrefix, limit });
      return items.map(({ id, updatedAt, title }) => ({ id, about: `${updatedAt}  ${title}` }));
    },
  });
}

/** Grants are few, and are always listed as a whole. */
export function findGrantId(given: string, { grants }: Engine): Promise<FoundId> {
  return findId(given, {
    noun: "grant",
    list: "tacklebox grants list",
    has: async (id) => (await grants.list()).some((grant) => grant.id === id),
    async beginningWith(start, limit) {
      const found = (await grants.list()).filter(({ id }) => id.startsWith(start));
      return found
        .slice(-limit)
        .map(({ id, verdict, server, tool }) => ({ id, about: `${verdict} ${server} ${tool}` }));
    },
  });
}

export function describeUnknownId(noun: Listed["noun"], id: string, list: string): string {
  return `There is no ${noun} '${id}'. \`${list}\` shows them all.`;
}

async function findId(given: string, { noun, list, has, beginningWith }: Listed): Promise<FoundId> {
  if (await has(given)) return { kind: "found", id: given };
  const unknown = describeUnknownId(noun, given, list);
  if (given.length < MIN_LENGTH) {
    const isBeginning = given !== "" && (await beginningWith(given, 1)).length > 0;
    const hint = ` Give at least the first ${MIN_LENGTH} characters of an id.`;
    return { kind: "refused", message: isBeginning ? unknown + hint : unknown };
  }
  const candidates = await beginningWith(given, MAX_LISTED + 1);
  const [only, ...others] = candidates;
  if (only === undefined) return { kind: "refused", message: unknown };
  if (others.length === 0) return { kind: "found", id: only.id };
  const lines = candidates
    .slice(0, MAX_LISTED)
    .map(({ id, about }) => `  ${printableLine(`${id}  ${cutToWidth(about, MAX_ABOUT)}`)}`);
  const more = candidates.length > MAX_LISTED ? ["  …"] : [];
  const title = `Several ${noun}s have an id that begins with '${given}'. Type more of the one you mean:`;
  return { kind: "refused", message: [title, ...lines, ...more].join("\n") };
}
