import { describe, expect, it } from "vitest";
import { ConnectionError } from "../domain/connection.ts";
import { createTestEngine, testDefinition } from "../testing/index.ts";

const refused = new ConnectionError("unreachable", "connection refused");

describe("explaining a tool", () => {
  it("lists all steps for a callable tool, and where they stop for one that is not callable", async () => {
    const { host, engine, connector } = createTestEngine({
      servers: [
        testDefinition("first", { deny: ["secret"], approval: "ask" }),
        testDefinition("second", { mode: "strict" }),
        testDefinition("down"),
      ],
      toolbox: {
        collisions: "hide",
        tools: [
          { name: "find", maxInstances: 2, timeoutMs: 3_000 },
          { name: "ghost" },
          { name: "off", approval: "deny" },
        ],
      },
    });
    connector.server("first").tools = [
      { name: "find" },
      { name: "secret" },
      { name: "bad", inputSchema: 1 },
      { name: "dot.name" },
      { name: "off" },
    ];
    connector.server("second").tools = [{ name: "find" }, { name: "extra" }];
    connector.server("down").refuse = refused;
    await host.start();
    const explained = async (name: string, server?: string) =>
      (await engine.tools.explain(name, server)).map(({ callable, steps }) => [
        callable,
        ...steps.map(({ step, text }) => `${step}: ${text}`),
      ]);
    expect(await explained("find")).toEqual([
      [
        true,
        "declared: listed by 'second', which is connected",
        "mode: strict, configured in toolbox.tools",
        "allow/deny: no list keeps it out",
        "pin: its definition is the accepted one",
        "limits: 2 at once, PT3S each (from its own entry)",
        "approval: runs when called from the command line; chats and editors ask as they are set to",
        "result: callable as find",
      ],
      [
        true,
        "declared: listed by 'first', which is connected",
        "mode: dynamic, configured in toolbox.tools",
        "allow/deny: no list keeps it out",
        "collision: hidden by the tool of the same name from 'second'; to show it as first__find, set toolbox.collisions to qualify",
        "pin: its definition is the accepted one",
        "limits: 2 at once, PT3S each (from its entry over the server's defaults)",
        "approval: approval: ask; denied where nobody can be asked",
        "result: callable as 'find' of the server 'first', not by its name alone",
      ],
    ]);
    expect((await explained("find", "first")).map(([callable]) => callable)).toEqual([true]);
    expect((await explained("secret"))[0]?.at(-1)).toBe(
      "result: not callable: the deny list of 'first' names 'secret'. To allow it, remove it from that list",
    );
    expect((await explained("extra"))[0]?.at(-1)).toBe(
      "result: not callable: 'second' is strict and 'extra' is not in toolbox.tools. Add it to toolbox.tools, or set mode: dynamic for the server",
    );
    expect((await explained("bad"))[0]?.[1]).toMatch(/^declared: listed by 'first' but set aside: inputSchema/);
    expect((await explained("dot.name"))[0]).toContain("collision: shown to models as dot_name");
    expect((await explained("dot_name"))[0]).toContain("approval: approval: ask; denied where nobody can be asked");
    expect((await explained("off"))[0]?.at(-1)).toBe(
      "result: not callable: approval: deny. To allow it, change that setting",
    );
    expect((await explained("ghost"))[0]?.at(-1)).toBe(
      "result: not callable: no connected server or local tool provides it (not connected: 'down')",
    );
    expect(await explained("never_heard_of")).toEqual([]);
    await host.stop();
  });

  it("uses the entry that the tool was registered with: one bound to its server wins, wherever it is", async () => {
    const { host, engine, connector } = createTestEngine({
      servers: [testDefinition("first", { mode: "strict" }), testDefinition("second", { mode: "dynamic" })],
      toolbox: {
        collisions: "qualify",
        tools: [
          { name: "find", mode: "strict", maxInstances: 1, timeoutMs: 1_000 },
          { name: "find", server: "first", mode: "dynamic", maxInstances: 7, timeoutMs: 3_000 },
        ],
      },
    });
    for (const key of ["first", "second"]) connector.server(key).tools = [{ name: "find" }];
    await host.start();
    const explained = async (server: string) => {
      const [explained] = await engine.tools.explain("find", server);
      return explained?.steps.flatMap(({ step, text }) => (step === "mode" || step === "limits" ? [text] : []));
    };
    const registered = (await engine.tools.list()).map(({ ref, limits }) => [ref.server, limits.maxInstances]);
    expect(registered).toEqual(
      expect.arrayContaining([
        ["first", 7],
        ["second", 1],
      ]),
    );
    expect(await explained("first")).toEqual([
      "dynamic, configured in toolbox.tools",
      "7 at once, PT3S each (from its entry over the server's defaults)",
    ]);
    expect(await explained("second")).toEqual([
      "strict, configured in toolbox.tools",
      "1 at once, PT1S each (from its own entry)",
    ]);
    await host.stop();
  });
});
