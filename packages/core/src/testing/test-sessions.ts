import type { ServerDefinition } from "../domain/server.ts";
import type { SessionOpening } from "../domain/session.ts";
import type { Engine } from "../engine.ts";
import { testDefinition } from "./test-definition.ts";
import { waitUntil } from "./wait-until.ts";

/** A server that a door adds to a session. `command` distinguishes servers of the same name. */
export function sessionServer(key: string, command = key, changes: Partial<ServerDefinition> = {}): ServerDefinition {
  return testDefinition(key, {
    scope: "session",
    launch: { transport: "stdio", command, args: [], env: {} },
    ...changes,
  });
}

/** Opens a session and waits until each of its servers is connected or has failed. Returns its id. */
export async function openTestSession(
  engine: Engine,
  servers: readonly ServerDefinition[],
  more: Partial<SessionOpening> = {},
): Promise<string> {
  const answer = await engine.sessions.open({ ...more, servers });
  if (answer.kind === "failed") throw new Error(answer.failure.message);
  const sessionId = answer.value.id;
  await waitUntil(async () => {
    const views = await engine.servers.list({ sessionId });
    return views.every(({ status }) => status === "connected" || status === "error");
  });
  return sessionId;
}

/** The shown names of the tools that a session, or the agent, may call. */
export async function shownNames(engine: Engine, sessionId?: string): Promise<readonly string[]> {
  const tools = await engine.tools.list(sessionId === undefined ? {} : { sessionId });
  return tools.map(({ shownName }) => shownName).sort();
}
