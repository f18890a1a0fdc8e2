import type { ConnectionStatus, EngineEvent, ServerView } from "@tacklebox/core";
import { describe, expect, it } from "vitest";
import { plain } from "../output/colour.ts";
import { createMemorySink } from "../testing/memory-io.ts";
import { createScriptedEngine, serverView } from "../testing/scripted-engine.ts";
import { createPlainScreen, type Screen } from "./screen.ts";
import { watchServers } from "./watch-servers.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

function news(status: ConnectionStatus, more: Partial<EngineEvent> = {}): EngineEvent {
  return {
    type: "connection-changed",
    scope: "agent",
    server: "files",
    status,
    cause: "It left.",
    ...more,
  } as EngineEvent;
}

function setUp(views: readonly ServerView[] = []) {
  const sink = createMemorySink();
  let rows: readonly string[] = [];
  const screen: Screen = {
    ...createPlainScreen(sink, () => 80, plain),
    show: (_, compose) => {
      rows = compose?.(80).rows ?? [];
    },
  };
  let listed = views;
  const { engine, tell } = createScriptedEngine({ servers: { list: async () => listed } });
  return {
    watch: watchServers(engine, screen),
    rows: () => rows,
    shown: () => sink.text(),
    become: (status: ServerView["status"]) => {
      listed = [serverView({ status, cause: "It left." })];
    },
    async tell(...events: readonly EngineEvent[]) {
      for (const event of events) tell(event);
      await turn();
    },
  };
}

describe("how servers are", () => {
  it("is a row while they start", async () => {
    const { watch, tell, rows, shown } = setUp();
    await tell(news("connecting"), news("connecting", { server: "web" }), news("connecting", { scope: "local" }));
    expect(rows()).toEqual(["Connecting files, web …"]);
    await tell(news("connected"));
    expect(rows()).toEqual(["Connecting web …"]);
    await watch.started();
    expect([rows(), shown()]).toEqual([[], ""]);
    watch.close();
  });

  it("is a line when one goes down, and when it is back", async () => {
    const { watch, tell, shown } = setUp([serverView()]);
    await watch.started();
    await tell(news("error"), news("connecting"), news("error"), news("connected"), news("connected"));
    watch.close();
    await tell(news("error"));
    expect(shown()).toBe("files is down: It left.\nfiles is back.\n");
  });

  it("is no news where it was so at the start, although it is heard of later", async () => {
    const { watch, tell, shown } = setUp([serverView({ status: "error" })]);
    const heard = tell(news("connecting"), news("error"));
    await watch.started();
    await heard;
    expect(shown()).toBe("");
    await tell(news("connected"));
    expect(shown()).toBe("files is back.\n");
    watch.close();
  });

  it("is asked for again where events are missing", async () => {
    const { watch, tell, shown, become } = setUp([serverView()]);
    await watch.started();
    become("error");
    await tell({ type: "gap" });
    become("connected");
    await tell({ type: "gap" }, { type: "gap" });
    expect(shown()).toBe("files is down: It left.\nfiles is back.\n");
    watch.close();
  });

  it("leaves out what a session brought along", async () => {
    const { watch, tell, shown } = setUp([serverView()]);
    await watch.started();
    await tell(news("error", { scope: "session", sessionId: "other" }));
    expect(shown()).toBe("");
    watch.close();
  });
});
