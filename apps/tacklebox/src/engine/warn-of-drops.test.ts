import type { EngineEvent } from "@tacklebox/core";
import { createRecordingLogger } from "@tacklebox/core/testing";
import { expect, it } from "vitest";
import { createScriptedEngine } from "../testing/scripted-engine.ts";
import { warnOfDrops } from "./warn-of-drops.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

it("warns when a server that was up goes down, but not when it is closed on purpose or never came up", async () => {
  const { engine, emit } = createScriptedEngine();
  const logger = createRecordingLogger();
  const stop = warnOfDrops(engine, logger);
  const change = (server: string, more: Partial<EngineEvent>) =>
    emit({ type: "connection-changed", scope: "agent", server, ...more } as EngineEvent);
  change("never", { status: "error", cause: "connection refused" });
  change("files", { status: "connected" });
  change("files", { status: "error", cause: "it exited with code 3" });
  change("files", { status: "error", cause: "connection refused" });
  change("web", { status: "connected" });
  change("web", { status: "disconnected" });
  change("own", { status: "connected", sessionId: "s" });
  change("own", { status: "error", cause: "gone", sessionId: "other" });
  change("own", { status: "error", cause: "gone", sessionId: "s" });
  change("stuck", { status: "connected" });
  change("stuck", { status: "disconnected", cause: "it ignored a cancelled call" });
  await turn();
  stop();
  expect(logger.texts("warn")).toEqual([
    "mcp: server 'files' went down: it exited with code 3",
    "mcp: server 'own' went down: gone",
    "mcp: server 'stuck' was restarted: it ignored a cancelled call",
  ]);
});
