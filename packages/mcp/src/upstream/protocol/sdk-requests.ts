import type { Json, Oddity } from "@tacklebox/core";

/** How many requests are remembered; an answer to an older one is reported as unknown. */
const REMEMBERED = 1024;

/** Tracks the SDK's own requests on a stream that it shares with us. */
export interface SdkRequests {
  /** Must be called with every message the SDK sends. */
  sent(message: object): void;
  /** Whether the SDK is waiting for this answer. The SDK cannot decide itself: it confuses the id "1" with 1. */
  answered(id: Json | undefined): "expected" | Extract<Oddity, "late-answer" | "unknown-answer">;
}

export function createSdkRequests(): SdkRequests {
  const requests = new Map<string | number, "waiting" | "answered">();
  return {
    sent(message) {
      if (!("method" in message) || !("id" in message)) return;
      const { id } = message;
      if (typeof id !== "string" && typeof id !== "number") return;
      requests.set(id, "waiting");
      const [oldest] = requests.keys();
      if (requests.size > REMEMBERED && oldest !== undefined) requests.delete(oldest);
    },
    answered(id) {
      if (typeof id !== "string" && typeof id !== "number") return "unknown-answer";
      const request = requests.get(id);
      if (request === undefined) return "unknown-answer";
      requests.set(id, "answered");
      return request === "waiting" ? "expected" : "late-answer";
    },
  };
}
