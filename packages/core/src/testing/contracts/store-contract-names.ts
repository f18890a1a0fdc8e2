import type { HeldName } from "../../domain/tool.ts";
import { assertEqual } from "./contract.ts";
import type { StoreCases } from "./store-contract-case.ts";

function held(name: string, server: string, tool = name): HeldName {
  return { name, ref: { scope: "agent", server, name: tool } };
}

const GOOD = { scope: "agent", server: "good" };

function byName(names: readonly HeldName[]): readonly HeldName[] {
  return [...names].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What a person was shown of servers' definitions. */
export const definitionCases: StoreCases = {
  "returns what a person was shown of a server, and replaces it tool by tool": async ({ store }) => {
    const row = (tool: string, description: string, server = "evil") => ({
      scope: "agent",
      server,
      tool,
      definition: { description, "it's": ["\u202e", 1] },
    });
    await store.definitions.save([row("", "instructions"), row("a", "one"), row("b", "two"), row("a", "x", "good")]);
    await store.definitions.save([row("a", "three")]);
    const loaded = await store.definitions.load("agent", "evil");
    const byTool = [...loaded].sort((a, b) => (a.tool < b.tool ? -1 : 1));
    assertEqual(byTool, [row("", "instructions"), row("a", "three"), row("b", "two")], "the definitions");
    assertEqual(await store.definitions.load("session", "evil"), [], "those of another scope");
  },
};

export const nameCases: StoreCases = {
  "returns the names of a configuration as they were added, and no other's": async ({ store }) => {
    const names = [held("echo", "good"), held("read_file", "good", "read.file")];
    await store.names.keep("/a.yaml", { added: names, removed: [] });
    await store.names.keep("/b.yaml", { added: [held("echo", "evil")], removed: [GOOD] });
    assertEqual(byName(await store.names.load("/a.yaml")), names, "the names");
    assertEqual(await store.names.load("/c.yaml"), [], "the names of a configuration never saved");
  },

  "F3 leaves a name with the tool that had it first": async ({ store }) => {
    await store.names.keep("/a.yaml", { added: [held("echo", "good")], removed: [] });
    await store.names.keep("/a.yaml", { added: [held("echo", "evil"), held("more", "evil")], removed: [] });
    assertEqual(byName(await store.names.load("/a.yaml")), [held("echo", "good"), held("more", "evil")], "the names");
  },

  "forgets the names of servers that were removed, and no others": async ({ store }) => {
    const local = { name: "now", ref: { scope: "local", server: "good", name: "now" } } as const;
    await store.names.keep("/a.yaml", { added: [held("echo", "good"), held("more", "evil"), local], removed: [] });
    await store.names.keep("/b.yaml", { added: [held("echo", "good")], removed: [] });
    await store.names.keep("/a.yaml", { added: [held("echo", "evil")], removed: [GOOD] });
    const left = [held("echo", "evil"), held("more", "evil"), local];
    assertEqual(byName(await store.names.load("/a.yaml")), left, "the names");
    assertEqual(await store.names.load("/b.yaml"), [held("echo", "good")], "those of another configuration");
  },
};
