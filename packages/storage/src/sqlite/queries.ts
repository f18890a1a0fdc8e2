import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from "kysely";
import type { Tables } from "./tables.ts";

/**
 * Builds queries but never runs them: an asynchronous Kysely transaction on the shared connection would let the call
 * log's commits slip in between its statements. Import it lazily: most commands do not need it, and loading the library
 * takes longer than all their statements together.
 */
export const queries = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** Must match the condition of the index of open calls exactly, or SQLite would not use the index. */
export const isOpen = sql<boolean>`status IN ('pending', 'running')`;
