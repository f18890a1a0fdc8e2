import type { Store } from "../../ports/store.ts";

/** What the contract needs the store to be opened with; `reopen` opens the same contents with the same options. */
export interface StoreContractOptions {
  readonly owner: string;
  readonly isOwnerAlive: (owner: string) => boolean;
  readonly now: () => number;
}

export interface StoreUnderTest {
  readonly store: Store;
  /** Opens what `store` kept once more, after `store` was closed. Absent when closing forgets. */
  reopen?(): Promise<Store>;
  cleanup(): Promise<void>;
}

/** By what they say about a store. */
export type StoreCases = Readonly<Record<string, (bench: StoreUnderTest) => Promise<void>>>;

/** Characters that get lost where text is kept carelessly: a NUL, halves of a character, and what is beyond 16 bits. */
export const ODD_TEXT = "Grüße, \u{1f9f0} \0 \ud83e and \uddf0 \u2028 \"'\\";
