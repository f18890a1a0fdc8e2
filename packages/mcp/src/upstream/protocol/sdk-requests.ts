import type { Json, Oddity } from "@tacklebox/core";

/** Answers to requests longer ago than this many are taken for answers to nothing. */
const REMEMBERED = 1024;

/** What the SDK asked over a stream that it shares with us. */
export interface SdkRequests {
  /** To be called with every message that the SDK sends. */
  sent(message: object): void;
  /** Whether the SDK waits for this answer. It takes the id "1" for 1, which is why it must not be left to it. */
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
