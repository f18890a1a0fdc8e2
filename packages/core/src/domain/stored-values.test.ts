import { describe, expect, it } from "vitest";
import { list, type Schema } from "../json/schema.ts";
import type { Store } from "../ports/store.ts";
import { storeContract } from "../testing/contracts/store-contract.ts";
import { createMemoryContents, createMemoryStore } from "../testing/memory/memory-store.ts";
import { CallRecord } from "./call.ts";
import { Gpt } from "./gpt.ts";
import { Grant } from "./grant.ts";
import { ServerInventory } from "./inventory.ts";
import { Session, SessionMessage } from "./session.ts";

/** Checks that every saved value passes its schema unchanged. */
function checked(store: Store): Store {
  const { calls, inventory, sessions, grants, gpts } = store;
  return {
    ...store,
    calls: { ...calls, save: checking(CallRecord, calls.save) },
    inventory: { ...inventory, save: checking(ServerInventory, inventory.save) },
    sessions: {
      ...sessions,
      save: checking(Session, sessions.save),
      append: checking(list(SessionMessage), sessions.append),
    },
    grants: { ...grants, save: checking(Grant, grants.save) },
    gpts: { ...gpts, save: checking(Gpt, gpts.save) },
  };
}

function checking<T, Rest extends readonly unknown[]>(
  schema: Schema<T>,
  save: (value: T, ...rest: Rest) => Promise<void>,
): typeof save {
  return async (value, ...rest) => {
    expect(schema.parse(value)).toStrictEqual(value);
    await save(value, ...rest);
  };
}

describe("the schemas of stored values accept everything in the store contract:", () => {
  for (const test of storeContract(async (options) => {
    const contents = createMemoryContents();
    return {
      store: checked(createMemoryStore(options, contents)),
      join: async (other) => checked(createMemoryStore(other, contents)),
      async cleanup() {},
    };
  })) {
    it(test.name, () => test.run());
  }
});
