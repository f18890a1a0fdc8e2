import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from "kysely";
import type { Tables } from "./tables.ts";

/**
 * Builds queries and never runs them: an asynchronous Kysely transaction on the shared connection would let the
 * call log's commits slip in between its statements. To be imported lazily: most commands run no query that needs it,
 * and loading the library takes longer than all their statements together.
 */
export const queries = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** Word for word what the index of open calls is about, or SQLite would not see that it applies. */
export const isOpen = sql<boolean>`status IN ('pending', 'running')`;
