import { assertEqual } from "./contract.ts";
import type { StoreCases } from "./store-contract-case.ts";

export const CUSTOMERS = { scope: "agent", server: "customers#here", launch: "customers@1" };
const MOVED = { ...CUSTOMERS, server: "customers#there" };
const DEFINITION = { name: "a", description: "Reads \u{1f4d6} \u0000" };

export const inventoryCases: StoreCases = {
  "returns the inventory of a server as it was saved": async ({ store }) => {
    const inventory = {
      ...CUSTOMERS,
      era: "modern",
      tools: [
        { name: "list_customers", fingerprint: "f2" },
        { name: "get_customer", fingerprint: "f1" },
        { name: "old_customers", fingerprint: "f0", isAway: true },
      ],
    } as const;
    await store.inventory.save(inventory, []);
    assertEqual(await store.inventory.load(CUSTOMERS), inventory, "the inventory");
  },

  "has no inventory for a server never saved, which differs from an empty one": async ({ store }) => {
    const empty = { scope: "agent", server: "empty#", launch: "empty@1" };
    await store.inventory.save({ ...empty, tools: [] }, []);
    assertEqual(await store.inventory.load(empty), { ...empty, tools: [] }, "empty");
    assertEqual(await store.inventory.load(CUSTOMERS), undefined, "an unknown server");
    assertEqual(
      await store.inventory.load({ ...empty, scope: "session" }),
      undefined,
      "the same name in another scope",
    );
  },

  "replaces a server's inventory as a whole, and only that server's": async ({ store }) => {
    const other = { ...CUSTOMERS, scope: "app", era: "legacy", tools: [{ name: "a", fingerprint: "x" }] } as const;
    const next = { ...CUSTOMERS, launch: "customers@2", tools: [{ name: "b", fingerprint: "2" }] };
    await store.inventory.save(other, []);
    const tools = [
      { name: "a", fingerprint: "1" },
      { name: "b", fingerprint: "1" },
    ];
    await store.inventory.save({ ...CUSTOMERS, era: "modern", tools }, []);
    await store.inventory.save(next, []);
    assertEqual(await store.inventory.load(CUSTOMERS), next, "the replaced inventory");
    assertEqual(await store.inventory.load(other), other, "the other server's inventory");
  },

  "finds the inventory of a server by its launch if its configuration has none": async ({ store }) => {
    const tools = [{ name: "a", fingerprint: "1" }];
    await store.inventory.save({ ...CUSTOMERS, tools }, [{ tool: "a", fingerprint: "1", definition: DEFINITION }]);
    assertEqual(await store.inventory.load(MOVED), { ...CUSTOMERS, tools }, "what another configuration knows");
    assertEqual(
      await store.inventory.definitions(MOVED),
      [{ tool: "a", fingerprint: "1", definition: DEFINITION }],
      "what it accepted",
    );
    await store.inventory.save({ ...MOVED, tools: [] }, []);
    assertEqual(await store.inventory.load(MOVED), { ...MOVED, tools: [] }, "its own, once it has one");
    assertEqual(await store.inventory.definitions(MOVED), [], "and not the other's definitions");
    assertEqual(
      await store.inventory.load({ ...CUSTOMERS, server: "customers#new", launch: "customers@9" }),
      undefined,
      "the inventory of another configuration and launch",
    );
  },

  "keeps an accepted definition as long as the tool has its fingerprint": async ({ store }) => {
    const of = (fingerprint: string) => ({ ...CUSTOMERS, tools: [{ name: "a", fingerprint }] });
    const accepted = { tool: "a", fingerprint: "1", definition: DEFINITION };
    await store.inventory.save(of("1"), [accepted]);
    await store.inventory.save(of("1"), []);
    assertEqual(await store.inventory.definitions(CUSTOMERS), [accepted], "after it was saved again");
    await store.inventory.save(of("2"), []);
    assertEqual(await store.inventory.definitions(CUSTOMERS), [], "of another fingerprint");
    const later = { tool: "a", fingerprint: "2", definition: {} };
    await store.inventory.save(of("2"), [later]);
    assertEqual(await store.inventory.definitions(CUSTOMERS), [later], "the one accepted last");
    await store.inventory.save({ ...CUSTOMERS, tools: [] }, []);
    await store.inventory.save(of("2"), []);
    assertEqual(await store.inventory.definitions(CUSTOMERS), [], "of a tool that was dropped");
  },
};
