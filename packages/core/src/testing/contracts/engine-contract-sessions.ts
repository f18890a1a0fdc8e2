import { listen } from "../../client/listen.ts";
import { streamRun } from "../../client/stream-run.ts";
import type { EngineEvent } from "../../domain/events.ts";
import type { ServerDefinition } from "../../domain/server.ts";
import type { Engine } from "../../engine.ts";
import type { EngineHost } from "../../engine-host.ts";
import { asksFor, type ScriptedTurn, says } from "../scripted-model.ts";
import { openTestSession, shownNames } from "../test-sessions.ts";
import { waitUntil } from "../wait-until.ts";
import { assertEqual, assertThat } from "./contract.ts";

/** The model's turns, and a check of what must then be true of the engine and the session's server. */
export interface SessionCase {
  readonly turns?: readonly ScriptedTurn[];
  check(engine: Engine, host: Pick<EngineHost, "stop">, guest: ServerDefinition): Promise<void>;
}

const greeting = { tool: "greet", arguments: {} };

/** What every door may rely on about sessions with their own servers, by case name. */
export const SESSION_CASES: Readonly<Record<string, SessionCase>> = {
  "S3.1 S3.6 a session has the tools of its own servers besides the agent's, and no one else has them": {
    async check(engine, _host, guest) {
      const sessionId = await openTestSession(engine, [guest]);
      assertEqual(await shownNames(engine, sessionId), ["echo", "greet"], "tools of the session");
      assertEqual(await shownNames(engine), ["echo"], "tools of the agent");
      const views = await engine.servers.list({ sessionId });
      assertEqual(
        views.map(({ key, status, toolCount }) => [key, status, toolCount]),
        [
          ["echoer", "connected", 1],
          ["guest", "connected", 1],
        ],
        "servers of the session",
      );
      assertEqual((await engine.calls.make(greeting, { sessionId })).status, "success", "a call in the session");
      assertEqual((await engine.calls.make(greeting)).status, "error", "a call outside of it");
      const [why] = await engine.tools.explain("greet", undefined, { sessionId });
      assertEqual(why?.callable, true, "why it can be called");
      assertEqual(await engine.tools.explain("greet"), [], "why it cannot outside of it");
    },
  },

  "S3.9 a run in the session can use the tools of its servers": {
    turns: [asksFor({ id: "m1", ...greeting }), says("Done.")],
    async check(engine, _host, guest) {
      const sessionId = await openTestSession(engine, [guest]);
      const prompt = [{ type: "text", text: "greet me" } as const];
      const outcomes: string[] = [];
      for await (const event of streamRun(engine, { prompt, sessionId }))
        if (event.type === "call-result") outcomes.push(event.outcome.status);
      assertEqual(outcomes, ["success"], "outcomes");
      const [session] = (await engine.sessions.list({ limit: 9 })).items;
      assertEqual([session?.id, session?.title], [sessionId, "greet me"], "the session that is kept");
    },
  },

  "S3.16 a server that cannot be connected is reported by an event with the session's id; the session is open": {
    async check(engine, _host, guest) {
      const events: EngineEvent[] = [];
      const unsubscribe = listen(engine, (event) => events.push(event));
      const launch = { transport: "custom", tools: [] } as const;
      const broken: ServerDefinition = { ...guest, key: "broken", name: "broken", launch };
      const sessionId = await openTestSession(engine, [broken, guest]);
      await waitUntil(async () =>
        events.some((event) => event.type === "connection-changed" && event.status === "error"),
      );
      unsubscribe();
      const failed = events.flatMap((event) =>
        event.type === "connection-changed" && event.status === "error" ? [[event.sessionId, event.server]] : [],
      );
      assertEqual(failed, [[sessionId, "broken"]], "what failed");
      assertEqual(await shownNames(engine, sessionId), ["echo", "greet"], "tools");
      const again = await engine.servers.connect("broken", { sessionId });
      assertEqual(again.kind, "failed", "connecting it again");
    },
  },

  "S3.15 a closed session has no servers of its own any more; closing twice does no harm": {
    async check(engine, _host, guest) {
      const sessionId = await openTestSession(engine, [guest]);
      assertEqual(await engine.sessions.close(sessionId), true, "closing");
      assertEqual(await engine.sessions.close(sessionId), false, "closing twice");
      assertEqual(await shownNames(engine, sessionId), ["echo"], "tools");
      assertEqual((await engine.calls.make(greeting, { sessionId })).status, "error", "a call");
    },
  },

  "S3.25 two sessions do not see each other's servers": {
    async check(engine, _host, guest) {
      const a = await openTestSession(engine, [guest]);
      const b = await openTestSession(engine, []);
      assertEqual(await shownNames(engine, b), ["echo"], "tools of the other");
      await openTestSession(engine, [guest], { id: b });
      await engine.sessions.close(a);
      assertEqual((await engine.calls.make(greeting, { sessionId: b })).status, "success", "a call of the one left");
    },
  },

  "ends servers that are still connecting when it stops": {
    async check(engine, host, guest) {
      await engine.sessions.open({ servers: [guest] });
      await host.stop(0);
      const late = await engine.sessions.open({ servers: [guest] });
      assertThat(late.kind === "failed", "no session is opened afterwards");
      await waitUntil(async () => (await engine.servers.list()).every(({ status }) => status === "disconnected"));
    },
  },
};
