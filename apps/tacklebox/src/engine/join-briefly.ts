import { type Clock, delay, type Engine, type EngineHost, listen } from "@tacklebox/core";

/**
 * How long servers that are up wait for the others. `to-begin`: most are up by then, so that their tools are in the first
 * request, and a model can wait for the others. `to-report`: before it is said how they are.
 */
const ENOUGH_MS = { "to-begin": 1_000, "to-report": 5_000 } as const;
export type WaitsFor = keyof typeof ENOUGH_MS;

/**
 * Resolves when the servers that join later are up or have failed. If that takes longer, one server that is up is
 * enough: whoever needs only that one must not wait for the others. Without any, there would be nothing to work with.
 */
export async function joinBriefly(
  { engine, joined }: Pick<EngineHost, "engine" | "joined">,
  clock: Clock,
  waitsFor: WaitsFor,
): Promise<void> {
  const over = new AbortController();
  const enough = Promise.all([delay(ENOUGH_MS[waitsFor], clock, over.signal), anyServerUp(engine, over.signal)]);
  await Promise.race([joined(), enough]);
  over.abort();
}

function anyServerUp(engine: Engine, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stopListening = listen(engine, (event) => {
      if (event.type === "gap") void look();
      if (event.type !== "connection-changed" || event.sessionId !== undefined) return;
      if (event.scope !== "local" && event.status === "connected") resolve();
    });
    over.addEventListener("abort", stopListening, { once: true });
    const look = async () => {
      const servers = await engine.servers.list().catch(() => []);
      if (servers.some(({ scope, status }) => scope !== "local" && status === "connected")) resolve();
    };
    void look();
  });
}
