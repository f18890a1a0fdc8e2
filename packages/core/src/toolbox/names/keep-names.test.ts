import { expect, it } from "vitest";
import { createToolbox, type RegisteredTool } from "../../domain/tool.ts";
import { createNameKeeper } from "./keep-names.ts";
import { MAX_HELD_NAMES } from "./naming.ts";

function tool(shownName: string, name = shownName): [string, RegisteredTool] {
  const registered: RegisteredTool = {
    ref: { scope: "agent", server: "s", name },
    shownName,
    tool: { name, description: "", inputSchema: {}, raw: {} },
    limits: { maxInstances: 1, timeoutMs: 1 },
    configuredBy: "default",
    include: "always",
  };
  return [shownName, registered];
}

it("holds a bounded number of names for a server whose list keeps changing, those it could lose first", () => {
  const keeper = createNameKeeper({ isConfigured: () => true });
  const hold = (...tools: [string, RegisteredTool][]) => keeper.hold(createToolbox(new Map(tools), []));
  for (let list = 0; list < 9; list += 1) hold(...Array.from({ length: 1_111 }, (_, at) => tool(`t${list}_${at}`)));
  hold(tool("s__echo", "echo"), tool("last"));
  hold(tool("late"));
  const names = Array.from(keeper.kept().entries(), ([name]) => name);
  expect([names.length, names.slice(-2)]).toEqual([MAX_HELD_NAMES, ["t8_1110", "last"]]);
});
