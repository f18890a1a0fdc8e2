import { expect, it } from "vitest";
import { createTestEngine, testDefinition, waitUntil } from "../../testing/index.ts";

it("no server can share another's limits by the names it chooses", async () => {
  const { host, engine, connector } = createTestEngine({
    servers: [testDefinition("a"), testDefinition("a/b"), testDefinition("a%2Fb")],
    toolbox: { tools: ["b/c", "c"].map((name) => ({ name, maxInstances: 1 })), collisions: "qualify" },
  });
  const atServer: string[] = [];
  const ends: (() => void)[] = [];
  for (const [key, tool] of [
    ["a", "b/c"],
    ["a/b", "c"],
    ["a%2Fb", "c"],
  ] as const) {
    connector.server(key).tools = [{ name: tool, inputSchema: { type: "object" } }];
    connector.server(key).answer = () => {
      atServer.push(key);
      return new Promise((resolve) => ends.push(() => resolve({ content: [], isError: false })));
    };
  }
  await host.start();
  const shownNames = (await engine.tools.list()).map(({ shownName }) => shownName);
  expect(shownNames).toHaveLength(3);
  const calls = shownNames.map((tool) => engine.calls.make({ tool, arguments: {} }));
  await waitUntil(() => atServer.length === 3);
  for (const end of ends) end();
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(["success", "success", "success"]);
  await host.stop();
});
