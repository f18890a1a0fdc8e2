import { expect, it } from "vitest";
import {
  createMemoryContents,
  createMemoryStore,
  createMemoryVault,
  createTestEngine,
  testDefinition,
} from "../testing/index.ts";

const SECRET = "tJ4x9QpL-value";
const TOOLS = [
  { name: "plain" },
  { name: `ask_${SECRET}` },
  { name: "choose", inputSchema: { type: "object", properties: { at: { enum: ["a", SECRET] } } } },
];

/** Everything the engine says about tools. */
async function allShown(engine: ReturnType<typeof createTestEngine>["engine"]) {
  const [tools, servers, why] = [
    await engine.tools.list(),
    await engine.servers.list(),
    await engine.tools.explain("choose"),
  ];
  return JSON.stringify([tools, servers, why, await engine.tools.search("choose ask")]);
}

it("F9 a tool whose name or schema holds a secret is quarantined, with a reason that does not hold it", async () => {
  const contents = createMemoryContents();
  const store = createMemoryStore({}, contents);
  const launch = { transport: "stdio", command: "s", args: [], env: { API_TOKEN: SECRET } } as const;
  const { host, engine, connector, logger } = createTestEngine({
    servers: [testDefinition("s", { launch })],
    ports: { store },
  });
  connector.server("s").tools = TOOLS;
  await host.start();
  expect((await engine.tools.list()).map(({ shownName }) => shownName)).toEqual(["plain"]);
  const [server] = await engine.servers.list();
  expect(server?.quarantined).toEqual([
    {
      name: "ask_[redacted]",
      reason:
        "its name holds a value that is known here as a secret: that of env API_TOKEN of server 's'. Rename it at its server, or change the secret if the two are equal by chance",
    },
    {
      name: "choose",
      reason:
        "its inputSchema (a choice, a constant or the name of a property) holds a value that is known here as a secret: that of env API_TOKEN of server 's'. Rename it at its server, or change the secret if the two are equal by chance",
    },
  ]);
  const outcome = await engine.calls.make({ tool: "choose", arguments: { at: "a" } });
  expect(outcome.status === "error" && outcome.failure).toMatchObject({
    ending: "denied",
    message: expect.stringMatching(/^Tool call denied: tool 'choose' of server 's' is set aside: its inputSchema/),
    veil: { ending: "unknown-tool", message: "Unknown tool 'choose'." },
  });
  const kept = [...contents.inventories.values()].flatMap(({ inventory }) => inventory.tools.map(({ name }) => name));
  expect(kept).toEqual(["plain"]);
  expect(logger.texts("warn").join()).not.toContain(SECRET);
  expect(await allShown(engine)).not.toContain(SECRET);
  await host.stop();
});

it("F9 also when the secret becomes known only after the tool was listed", async () => {
  const { host, engine, connector, logger } = createTestEngine({
    servers: [testDefinition("s")],
    ports: { vault: createMemoryVault({}) },
  });
  connector.server("s").tools = TOOLS;
  await host.start();
  expect(await engine.tools.list()).toHaveLength(3);
  const last = await engine.events.last();
  await engine.secrets.put("TYPED", SECRET);
  expect((await engine.tools.list()).map(({ shownName }) => shownName)).toEqual(["plain"]);
  expect(await allShown(engine)).not.toContain(SECRET);
  expect(logger.texts("warn").filter((text) => text.includes("is set aside"))).toHaveLength(2);
  for await (const { event } of engine.events.follow(last)) {
    if (event.type !== "toolbox-changed") continue;
    expect(event.removed).toEqual(["ask_[redacted]", "choose"]);
    break;
  }
  await host.stop();
});
