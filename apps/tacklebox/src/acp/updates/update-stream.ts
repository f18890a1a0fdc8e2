import type { SessionUpdate } from "@agentclientprotocol/sdk";

/** Sends the updates of one session in order. Pieces of one text within a tick are sent as one update. */
export interface UpdateStream {
  text(kind: TextKind, text: string): void;
  send(update: SessionUpdate): void;
  /** Sends text that is waiting for the end of the tick. */
  flush(): void;
}

type TextKind = "agent_message_chunk" | "agent_thought_chunk";

export function createUpdateStream(send: (update: SessionUpdate) => void): UpdateStream {
  let waiting: { readonly kind: TextKind; text: string } | undefined;
  let scheduled = false;

  function flush(): void {
    scheduled = false;
    if (waiting === undefined) return;
    const { kind, text } = waiting;
    waiting = undefined;
    send({ sessionUpdate: kind, content: { type: "text", text } });
  }

  return {
    flush,
    text(kind, text) {
      if (waiting?.kind === kind) {
        waiting.text += text;
        return;
      }
      flush();
      waiting = { kind, text };
      if (scheduled) return;
      scheduled = true;
      setImmediate(flush);
    },
    send(update) {
      flush();
      send(update);
    },
  };
}
