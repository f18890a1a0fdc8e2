import type { MemberDeps } from "../../ports/members.ts";
import type { Store } from "../../ports/store.ts";

/** Options that the contract needs the store to be opened with; `reopen` uses the same options. */
export type StoreContractOptions = MemberDeps;

export interface StoreUnderTest {
  readonly store: Store;
  /** Opens the contents of `store` a second time, like another process with its own clock and process table. */
  join(options: StoreContractOptions): Promise<Store>;
  /** Opens the contents of `store` again after it was closed. Absent if they are lost then. */
  reopen?(): Promise<Store>;
  cleanup(): Promise<void>;
}

/** The cases, by name. */
export type StoreCases = Readonly<Record<string, (bench: StoreUnderTest) => Promise<void>>>;

/** Characters that careless storage loses: a NUL, lone surrogates, and characters beyond 16 bits. */
export const ODD_TEXT = "Grüße, \u{1f9f0} \0 \ud83e and \uddf0 \u2028 \"'\\";
