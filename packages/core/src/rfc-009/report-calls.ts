import { listen } from "../client/listen.ts";
import type { ToolResult } from "../domain/call.ts";
import type { CallSummary } from "../domain/events.ts";
import type { Engine } from "../engine.ts";
import type { MCPToolCall } from "./schemas.ts";
import { isOfApp, toToolCall } from "./to-rfc.ts";

/**
 * Reports every change of the app's calls to the listener, a successful call with its result. Returns a function that
 * stops it.
 */
export function reportCalls(
  engine: Pick<Engine, "calls" | "events">,
  listener: (call: MCPToolCall) => void,
): () => void {
  // One after another, so that a later change does not overtake one whose result is still being fetched.
  let reporting: Promise<unknown> = Promise.resolve();
  let isOver = false;

  /** Resolves to undefined if the record cannot be read: the call has still succeeded. */
  const resultOf = async ({ id, status }: CallSummary): Promise<ToolResult | undefined> =>
    status === "success" ? (await engine.calls.get(id).catch(() => undefined))?.result : undefined;

  const report = async (call: CallSummary) => {
    const reported = toToolCall(call, await resultOf(call));
    // Each listener gets a copy, so that none can change what another gets.
    if (reported !== undefined && !isOver) listener(structuredClone(reported));
  };

  const stop = listen(engine, (event) => {
    if (event.type !== "call-changed" || !isOfApp(event.call.scope)) return;
    const { call } = event;
    // If the listener throws, it still gets the next call.
    reporting = reporting.then(() => report(call)).catch(() => undefined);
  });
  return () => {
    isOver = true;
    stop();
  };
}
