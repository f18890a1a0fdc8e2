import type { Engine, Grant } from "@tacklebox/core";
import { describe, expect, it } from "vitest";
import type { ConfigReload } from "../../engine/config-reloads.ts";
import { plain } from "../../output/colour.ts";
import { createScriptedEngine, type EngineScript, serverView } from "../../testing/scripted-engine.ts";
import { type ChatState, parseInput } from "./slash-commands.ts";

function setUp(script: EngineScript = {}, more: Partial<ChatState> = {}) {
  const { engine } = createScriptedEngine(script);
  const state: ChatState = {
    engine,
    screen: { paint: plain, columns: () => 100 },
    cards: { describe: () => undefined, count: () => 0 },
    settings: { gpt: undefined, model: undefined, sessionId: "mine", approve: undefined },
    reloadConfig: async () => ({ kind: "no-file" }),
    ...more,
  };
  const type = async (line: string) => {
    const parsed = parseInput(line);
    if (parsed.kind !== "command") throw new Error(`${line} is no command`);
    return parsed.command.run(parsed.argument, state);
  };
  return { type, state };
}

const grant = (id: string, more: Partial<Grant> = {}): Grant => ({
  ...{ id, verdict: "allow", scope: "agent", server: "files", tool: "read", fingerprint: "f", definition: {} },
  createdAt: new Date(Number(id)).toISOString(),
  ...more,
});

describe("/reload", () => {
  const answer = (reloaded: ConfigReload) => setUp({}, { reloadConfig: async () => reloaded }).type("/reload");
  const file = "/home/me/tacklebox.yaml";

  it("says what changed, in lines without the log's prefix", async () => {
    const changes = ["Configuration: server 'two' added", "Configuration: toolbox.tools changed"];
    expect(await answer({ kind: "reloaded", file, changes, problems: ["'two' is down"] })).toBe(
      `Reloaded ${file}:\n- server 'two' added\n- toolbox.tools changed\n'two' is down`,
    );
    expect(await answer({ kind: "reloaded", file, changes: [], problems: [] })).toBe(`Nothing changed in ${file}.`);
  });

  it("says why not, and what to do", async () => {
    const messages = [`${file}\nRead it, and if you agree to it, run: tacklebox allow ${file}`];
    expect(await answer({ kind: "refused", level: "warn", messages })).toBe(messages[0]);
    expect(await answer({ kind: "no-file" })).toBe(
      "There is no config file to reload: none was found when this started.",
    );
  });
});

describe("/reconnect", () => {
  const views = [
    serverView({ key: "up" }),
    serverView({ key: "down", status: "error" }),
    serverView({ key: "local", scope: "local" }),
  ];

  function servers(): { readonly script: Partial<Engine["servers"]>; readonly asked: string[] } {
    const asked: string[] = [];
    return {
      asked,
      script: {
        list: async () => views,
        disconnect: async (key) => asked.push(`disconnect ${key}`) > 0,
        connect: async (key) => {
          asked.push(`connect ${key}`);
          if (key === "up") return { kind: "ok", value: serverView({ key, toolCount: 1 }) };
          return { kind: "failed", failure: { code: "unreachable", message: "refused\u001b[2J" } };
        },
      },
    };
  }

  it("restarts the server it names", async () => {
    const { script, asked } = servers();
    expect(await setUp({ servers: script }).type("/reconnect up")).toBe("up is up, with 1 tool.");
    expect(asked).toEqual(["disconnect up", "connect up"]);
  });

  it("without a name takes those that are down, and says why one stays down", async () => {
    const { script, asked } = servers();
    const text = await setUp({ servers: script }).type("/reconnect");
    expect(text).toMatch(/^down could not be connected: refused/);
    expect(text).not.toContain("\u001b");
    expect(asked).toEqual(["disconnect down", "connect down"]);
    const healthy = setUp({ servers: { list: async () => views.slice(0, 1) } });
    expect(await healthy.type("/reconnect")).toBe("No server is down. To restart one: /reconnect SERVER");
  });

  it("touches nothing else", async () => {
    const { script, asked } = servers();
    const { type } = setUp({ servers: script });
    expect(await type("/reconnect nobody")).toBe("There is no server 'nobody'. /servers shows them all.");
    expect(await type("/reconnect local")).toBe("There is no server 'local'. /servers shows them all.");
    expect(asked).toEqual([]);
  });
});

describe("/approve", () => {
  it("says which mode counts: the chosen one, else the assistant's, else that of the chat", async () => {
    const gpts = { list: async () => [{ key: "clerk", name: "Clerk", approval: "trusted-only" }] } as never;
    const { type, state } = setUp({ gpts });
    expect(await type("/approve")).toMatch(/^Now always-ask: you are asked about every call\./);
    state.settings.gpt = "clerk";
    expect(await type("/approve")).toMatch(/^Now trusted-only: /);
    expect(await type("/approve auto")).toMatch(/^From now on calls run without asking\./);
    expect(await type("/approve")).toMatch(/^Now auto: /);
    expect(state.settings.approve).toBe("auto");
  });

  it("changes nothing for a mode that does not exist", async () => {
    const { type, state } = setUp();
    expect(await type("/approve yes")).toBe("There is no mode 'yes'. Modes: auto, always-ask, trusted-only");
    expect(state.settings.approve).toBeUndefined();
  });
});

describe("/grants", () => {
  const grants = [
    grant("3", { sessionId: "mine", verdict: "deny", tool: "write" }),
    grant("1"),
    grant("2", { sessionId: "another" }),
  ];

  it("lists what counts here, the oldest first, and takes one back by its number", async () => {
    const revoked: string[] = [];
    const revoke = async (id: string) => revoked.push(id) > 0;
    const { type } = setUp({ grants: { list: async () => grants, revoke } });
    const rows = (await type("/grants")).split("\n").map((line) => line.split(/ {2,}/));
    expect(rows.slice(1, 3)).toEqual([
      ["1", "allowed", "read", "files", "for good"],
      ["2", "denied", "write", "files", "in this session"],
    ]);
    expect(await type("/grants revoke 2")).toBe(
      "write of files is no longer denied; the next call is decided by the usual rules.",
    );
    expect(revoked).toEqual(["3"]);
  });

  it("takes nothing back that it did not list", async () => {
    const { type } = setUp({ grants: { list: async () => grants, revoke: async () => true } });
    for (const number of ["0", "3", "x", "-1"])
      expect(await type(`/grants revoke ${number}`)).toBe(`There is no grant ${number}. /grants shows them all.`);
    expect(await type("/grants revoke")).toBe("Type /grants, or /grants revoke N\n");
  });

  it("says how to get one while there is none", async () => {
    expect(await setUp().type("/grants")).toMatch(/^Nothing is allowed or denied for longer than one call\./);
  });
});
