import type { ConnectionStatus, EngineEvent, ServerView } from "@tacklebox/core";
import { describe, expect, it } from "vitest";
import { plain } from "../output/colour.ts";
import { createMemorySink } from "../testing/memory-io.ts";
import { createScriptedEngine, serverView } from "../testing/scripted-engine.ts";
import { createPlainScreen, type Screen } from "./terminal/screen.ts";
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
  const { engine, emit } = createScriptedEngine({ servers: { list: async () => listed } });
  return {
    watch: watchServers(engine, screen),
    rows: () => rows,
    shown: () => sink.text(),
    become: (status: ServerView["status"]) => {
      listed = [serverView({ status, cause: "It left." })];
    },
    async emit(...events: readonly EngineEvent[]) {
      for (const event of events) emit(event);
      await turn();
    },
  };
}

describe("the status of servers", () => {
  it("is a live row while they start", async () => {
    const { watch, emit, rows, shown } = setUp();
    await emit(news("connecting"), news("connecting", { server: "web" }), news("connecting", { scope: "local" }));
    expect(rows()).toEqual(["Connecting files, web …"]);
    await emit(news("connected"));
    expect(rows()).toEqual(["Connecting web …"]);
    watch.close();
    expect([rows(), shown()]).toEqual([[], ""]);
  });

  it("goes on as a live row for those that join later, and each is announced when it is up", async () => {
    const { watch, emit, rows, shown } = setUp();
    await emit(news("connecting"), news("connecting", { server: "web" }), news("connecting", { server: "slow" }));
    await emit(news("connected"), news("error", { server: "web" }));
    await watch.started();
    expect([rows(), shown()]).toEqual([["Connecting slow …"], ""]);
    await emit(news("connected", { server: "slow" }), news("connected", { server: "web" }), news("error"));
    expect([rows(), shown()]).toEqual([[], "slow is up.\nweb is back.\nfiles is down: It left.\n"]);
    watch.close();
  });

  it("is printed when one goes down, and when it is back", async () => {
    const { watch, emit, shown } = setUp([serverView()]);
    await watch.started();
    await emit(news("error"), news("connecting"), news("error"), news("connected"), news("connected"));
    watch.close();
    await emit(news("error"));
    expect(shown()).toBe("files is down: It left.\nfiles is back.\n");
  });

  it("is not printed again for a server that failed at the start, even if its event arrives later", async () => {
    const { watch, emit, shown } = setUp([serverView({ status: "error" })]);
    const received = emit(news("connecting"), news("error"));
    await watch.started();
    await received;
    expect(shown()).toBe("");
    await emit(news("connected"));
    expect(shown()).toBe("files is back.\n");
    watch.close();
  });

  it("is asked for again after a gap in the events", async () => {
    const { watch, emit, shown, become } = setUp([serverView()]);
    await watch.started();
    become("error");
    await emit({ type: "gap" });
    become("connected");
    await emit({ type: "gap" }, { type: "gap" });
    expect(shown()).toBe("files is down: It left.\nfiles is back.\n");
    watch.close();
  });

  it("leaves out the servers of a session", async () => {
    const { watch, emit, shown } = setUp([serverView()]);
    await watch.started();
    await emit(news("error", { scope: "session", sessionId: "other" }));
    expect(shown()).toBe("");
    watch.close();
  });
});
