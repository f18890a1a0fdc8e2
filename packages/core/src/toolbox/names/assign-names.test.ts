import { describe, expect, it } from "vitest";
import type { Scope } from "../../domain/server.ts";
import { testSettings } from "../../testing/test-definition.ts";
import type { ToolCandidate } from "../registration.ts";
import { assignNames } from "./assign-names.ts";
import { NameIndex } from "./name-index.ts";
import { type HeldNames, MAX_HELD_NAMES } from "./naming.ts";
import { toShownName } from "./shown-name.ts";

function candidate(server: string, name: string, scope: Scope = "agent"): ToolCandidate {
  return {
    ref: { scope, server, name },
    tool: { name, description: "", inputSchema: { type: "object" }, raw: { name } },
    limits: { maxInstances: 5, timeoutMs: 30_000 },
    configuredBy: "default",
    include: "always",
  };
}

const HIDE = testSettings({ collisions: "hide" });

function held(names: Record<string, ToolCandidate>): NameIndex {
  const index = new NameIndex();
  for (const [name, { ref }] of Object.entries(names)) index.add(name, ref);
  return index;
}

function shown(candidates: ToolCandidate[], settings = testSettings(), names?: HeldNames): Record<string, string> {
  const { tools } = assignNames(candidates, settings, names);
  return Object.fromEntries([...tools].map(([name, { ref }]) => [name, `${ref.server}/${ref.name}`]));
}

describe("assignNames", () => {
  it("S4.28 lets the last server in configuration order win, hides the other and warns", () => {
    const { tools, hidden, notices } = assignNames([candidate("first", "find"), candidate("second", "find")], HIDE);
    expect(tools.get("find")?.ref.server).toBe("second");
    expect(hidden).toEqual([
      {
        ref: { scope: "agent", server: "first", name: "find" },
        reason: {
          kind: "collision",
          detail:
            "hidden by the tool of the same name from 'second'; to show it as first__find, set toolbox.collisions to qualify",
          winner: { scope: "agent", server: "second", name: "find" },
        },
      },
    ]);
    expect(notices).toEqual([
      {
        key: "collision:agent:first:find:agent:second",
        level: "warn",
        text: "Tool 'find' is offered by 'first' and by 'second'; the one from 'second' is used. To show the one from 'first' as 'first__find', set toolbox.collisions to qualify",
      },
    ]);
  });

  it("D.2 shows the loser under its server's name when collisions are qualified", () => {
    const settings = testSettings({ collisions: "qualify" });
    expect(shown([candidate("first", "find"), candidate("second", "find")], settings)).toEqual({
      find: "second/find",
      first__find: "first/find",
    });
  });

  it("D.2 a local tool wins over MCP, a session tool over both; last_wins is the literal reading", () => {
    const all = [candidate("local", "sum", "local"), candidate("mcp", "sum"), candidate("editor", "sum", "session")];
    expect(shown(all.slice(0, 2), HIDE)).toEqual({ sum: "local/sum" });
    expect(shown(all, HIDE)).toEqual({ sum: "editor/sum" });
    expect(shown([...all].reverse(), HIDE)).toEqual({ sum: "editor/sum" });
    expect(shown(all.slice(0, 2), { ...HIDE, localCollision: "last_wins" })).toEqual({ sum: "mcp/sum" });
  });

  it("D.13 distinguishes names that become equal when made legal, whatever the order", () => {
    const both = [candidate("s", "a.b"), candidate("s", "a_b"), candidate("t", "a/b")];
    const names = shown(both);
    expect(names.a_b).toBe("s/a_b");
    expect(Object.keys(names)).toHaveLength(3);
    expect(shown([...both].reverse())).toEqual(names);
  });

  it("S1.8 shown names are legal for every vendor and stable", () => {
    for (const raw of ["a.b", "1st", "-x", "größe", "x".repeat(200), "", "with space", "ok_name-2"]) {
      expect(toShownName(raw)).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
    }
    expect(toShownName("ok_name-2")).toBe("ok_name-2");
    expect(toShownName(`${"x".repeat(100)}a`)).not.toBe(toShownName(`${"x".repeat(100)}b`));
  });

  describe("names that are held", () => {
    const good = candidate("good", "echo");
    const evil = candidate("evil", "echo");

    it("F3 stay with their tool when a later server lists the same name", () => {
      const own = held({ echo: good });
      const { tools, conflicts, notices } = assignNames([good, evil], testSettings(), { own });
      expect([...tools].map(([name, { ref }]) => [name, ref.server])).toEqual([
        ["echo", "good"],
        ["evil__echo", "evil"],
      ]);
      expect(conflicts).toEqual([{ ref: evil.ref, wanted: "echo", holder: good.ref, shownName: "evil__echo" }]);
      expect(notices).toMatchObject([
        {
          level: "warn",
          text: "MCP server 'evil' offers a tool with the name 'echo', which belongs to 'good' and stays there; this one is shown as 'evil__echo'. If that is not wanted, deny the tool, disable 'evil', or rename or remove 'good'",
        },
      ]);
    });

    it("F3 are not handed on while their tool is gone", () => {
      expect(shown([evil], testSettings(), { own: held({ echo: good }) })).toEqual({ evil__echo: "evil/echo" });
      expect(shown([evil], HIDE, { own: held({ echo: good }) })).toEqual({});
    });

    it("F3 leave a tool its second name too, also when the first one is free again", () => {
      expect(shown([evil], testSettings(), { own: held({ evil__echo: evil }) })).toEqual({ evil__echo: "evil/echo" });
    });

    it("keeps a tool whose name was made legal at that name when one with the legal name comes", () => {
      const dotted = candidate("s", "a.b");
      const names = shown([dotted, candidate("t", "a_b")], testSettings(), { own: held({ a_b: dotted }) });
      expect(names.a_b).toBe("s/a.b");
      expect(Object.keys(names)).toHaveLength(2);
    });

    it("S3 a session's tool takes a name of the agent's, but not one that is held in the session", () => {
      const mine = candidate("editor", "echo", "session");
      const lower = held({ echo: good });
      expect(shown([good, mine], testSettings(), { own: held({}), lower })).toEqual({
        echo: "editor/echo",
        good__echo: "good/echo",
      });
      expect(shown([good, mine], testSettings(), { own: held({ echo: good }), lower })).toEqual({
        echo: "good/echo",
        editor__echo: "editor/echo",
      });
      expect(shown([evil], testSettings(), { own: held({}), lower })).toEqual({ evil__echo: "evil/echo" });
    });
  });

  it("shows new tools of a server with its name once it has had too many names, and no other server's", () => {
    const own = new NameIndex();
    for (let count = 0; count < MAX_HELD_NAMES - 1; count += 1) own.add(`t${count}`, candidate("s", `t${count}`).ref);
    const lists = [candidate("s", "t0"), candidate("s", "new"), candidate("s", "newest"), candidate("u", "other")];
    expect(shown(lists, testSettings(), { own })).toEqual({
      t0: "s/t0",
      s__new: "s/new",
      newest: "s/newest",
      other: "u/other",
    });
    const { notices } = assignNames(lists, testSettings(), { own });
    expect(notices.map(({ key }) => key)).toEqual(["full:agent:s"]);
  });

  it("a tool without a name can still be called with its server", () => {
    const { nameless } = assignNames([candidate("first", "find"), candidate("second", "find")], HIDE);
    expect(nameless.map(({ ref }) => ref)).toEqual([{ scope: "agent", server: "first", name: "find" }]);
  });

  it.each(["send_em\u0430il", "SEND_EMAIL", "send_ema\u200bil"])(
    "T17 takes %j of another server for send_email, and shows it with its server",
    (lookAlike) => {
      const both = [candidate("good", "send_email"), candidate("evil", lookAlike)];
      const { tools, conflicts } = assignNames(both, testSettings(), {
        own: held({ send_email: candidate("good", "send_email") }),
      });
      expect(tools.get("send_email")?.ref.server).toBe("good");
      expect([...tools.keys()][1]).toMatch(/^evil__/);
      expect(conflicts).toMatchObject([{ ref: { server: "evil" }, holder: { server: "good", name: "send_email" } }]);
      expect(Object.keys(shown([candidate("good", "send_email"), candidate("good", lookAlike)]))).toHaveLength(2);
    },
  );

  it.each([testSettings(), HIDE])(
    "T17 keeps the names of our own tools, and shows a server's with its server",
    (settings) => {
      const { tools, notices } = assignNames([candidate("s", "call_tool"), candidate("s", "Read_Result")], settings);
      expect([...tools.keys()]).toEqual(["s__call_tool", "s__Read_Result"]);
      expect(notices[0]?.text).toBe(
        "MCP server 's' offers a tool 'call_tool', a name that Tacklebox uses itself; it is shown as 's__call_tool'",
      );
    },
  );

  it("T17 keeps a name with a server in front for that server's tool", () => {
    const names = shown([candidate("a", "echo"), candidate("b", "echo"), candidate("evil", "a__echo")]);
    expect(names).toEqual({ echo: "b/echo", a__echo: "a/echo", evil__a__echo: "evil/a__echo" });
  });

  const configured = (...keys: string[]): HeldNames => ({
    own: held({}),
    servers: keys.map((server) => ({ scope: "agent", server })),
  });

  it.each([
    ["b__read", "evil__b__read"],
    ["B__read", "evil__B__read"],
    ["b..read", "evil__b__read"],
    ["\u0432__read", "evil_____read"],
  ])("T17 keeps %j for the server b while that has no tools, also where collisions hide", (name, shownName) => {
    for (const settings of [testSettings(), HIDE]) {
      const { tools, notices } = assignNames([candidate("evil", name)], settings, configured("evil", "b"));
      expect([...tools.keys()]).toEqual([shownName]);
      expect(notices.map(({ text }) => text)).toEqual([
        `MCP server 'evil' offers a tool '${name}', a name that is kept for the tools of 'b'; it is shown as '${shownName}'`,
      ]);
    }
  });

  it("T17 lets a server have every name that begins with its own, and the longest of several counts", () => {
    expect(shown([candidate("b", "b__read")], testSettings(), configured("a", "b"))).toEqual({ b__read: "b/b__read" });
    const both = [candidate("a__b", "read"), candidate("a", "read"), candidate("a", "b__read")];
    expect(shown(both, testSettings(), configured("a", "a__b"))).toEqual({
      read: "a/read",
      a__b__read: "a__b/read",
      b__read: "a/b__read",
    });
    const alike = configured("files", "fi1es");
    expect(shown([candidate("fi1es", "files__x"), candidate("fi1es", "fi1es__x")], testSettings(), alike)).toEqual({
      fi1es__files__x: "fi1es/files__x",
      fi1es__x: "fi1es/fi1es__x",
    });
    const long = "s".repeat(80);
    const cut = Object.keys(shown([candidate(long, "x"), candidate("b", "x")]))[1] ?? "";
    expect(cut).toMatch(/^s{55}_/);
    expect(shown([candidate("evil", cut)], testSettings(), configured(long, "evil"))).not.toHaveProperty(cut);
  });
});
