import { type Connection, ConnectionError } from "@tacklebox/core";
import { createConnection } from "../protocol/connection.ts";
import { toOpenError } from "../protocol/connection-errors.ts";
import { negotiate } from "../protocol/negotiate.ts";
import { MessageGate } from "../protocol/pace/message-gate.ts";
import { createSdkClient, describeServer } from "../protocol/sdk-client.ts";
import { createServerQuestions } from "../protocol/server-questions.ts";
import { createStreamWire } from "../protocol/stream-wire.ts";
import { createRequestSubscriptions } from "../protocol/subscriptions.ts";
import type { RemoteOpening } from "./open-streamable.ts";
import { SseTransport } from "./sse-transport.ts";

/** Opens the legacy HTTP+SSE transport, which only ever carried legacy revisions. */
export async function openSse(opening: RemoteOpening, signal: AbortSignal): Promise<Connection> {
  const { definition, url, exchange, options, clientInfo, clock, redact, site } = opening;
  if (definition.protocol === "modern") {
    const text = 'The "sse" transport cannot speak the modern protocol; use "streamable-http".';
    throw new ConnectionError("misconfigured", text);
  }
  const questions = createServerQuestions(definition.key, options, redact);
  let isOpen = false;
  const wire = createStreamWire({
    post: (text, id) => transport.post(text, id),
    envelope: () => undefined,
    redact,
    onOddity: options.onOddity,
  });
  const transport = new SseTransport({
    url,
    exchange,
    now: clock.now,
    site,
    gate: new MessageGate({ clock, onFlood: (flood) => options.onFlood?.(flood) }),
    room: opening.room,
    accept: wire.accept,
    sdkSent: wire.sdkSent,
    onEnd: (cause) => {
      wire.end(cause);
      if (isOpen) options.onClosed(cause.message);
      isOpen = false;
    },
    onUnreadable: () => {
      options.onOddity?.("unreadable");
      options.onServerLog?.("Failed to parse SSE message");
    },
    onOversize: () => options.onOddity?.("oversize"),
    fail: wire.fail,
    onDropped: (text) => options.onServerLog?.(text),
    acceptDeep: wire.acceptDeep,
  });
  const { client } = await negotiate(
    {
      protocol: "legacy",
      hint: undefined,
      createClient: (versions) => createSdkClient({ clientInfo, options, questions, redact }, versions),
      createTransport: () => transport,
      explain: (error) => toOpenError(error, { redact, http: { site, refusal: undefined } }),
      brokeOnProbe: () => false,
      doubtsEra: () => false,
    },
    signal,
  );
  isOpen = true;
  return createConnection({
    info: describeServer(client, "sse", definition.name),
    wire,
    // The session lives as long as the stream, and so does the connection: no update can be missed.
    subscriptions: createRequestSubscriptions(wire, () => undefined),
    questions,
    onServerLog: (line) => options.onServerLog?.(line),
    async stop() {
      isOpen = false;
      await client.close();
      await transport.close();
    },
  });
}
