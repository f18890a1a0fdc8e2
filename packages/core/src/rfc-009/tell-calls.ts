import { listen } from "../client/listen.ts";
import type { ToolResult } from "../domain/call.ts";
import type { CallSummary } from "../domain/events.ts";
import type { Engine } from "../engine.ts";
import type { MCPToolCall } from "./schemas.ts";
import { isOfApp, toToolCall } from "./to-rfc.ts";

/** Tells every change of the app's calls, a successful one with its result (S1.12, S1.20). Returns how to stop that. */
export function tellCalls(engine: Pick<Engine, "calls" | "events">, listener: (call: MCPToolCall) => void): () => void {
  // One after the other, so that a result that is fetched is not overtaken.
  let telling: Promise<unknown> = Promise.resolve();
  let isOver = false;

  /** A call whose record cannot be read has still succeeded. */
  const resultOf = async ({ id, status }: CallSummary): Promise<ToolResult | undefined> =>
    status === "success" ? (await engine.calls.get(id).catch(() => undefined))?.result : undefined;

  const tell = async (call: CallSummary) => {
    const told = toToolCall(call, await resultOf(call));
    // A copy each: what one listener does with it reaches no other (T1.9).
    if (told !== undefined && !isOver) listener(structuredClone(told));
  };

  const stop = listen(engine, (event) => {
    if (event.type !== "call-changed" || !isOfApp(event.call.scope)) return;
    const { call } = event;
    // One that the listener fails at does not keep it from hearing the next.
    telling = telling.then(() => tell(call)).catch(() => undefined);
  });
  return () => {
    isOver = true;
    stop();
  };
}
