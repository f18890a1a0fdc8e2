import type { Elicitor } from "@tacklebox/core";

/**
 * Servers may ask whenever they like; the person can answer while a run is shown to them. In between they type a prompt,
 * which no server may take over: then it is declined.
 */
export interface ChatElicitor extends Elicitor {
  /** Questions go there until the returned function is called. */
  connect(desk: Elicitor): () => void;
}

export function createChatElicitor(): ChatElicitor {
  let present: Elicitor | undefined;
  return {
    ask: async (request, signal) => present?.ask(request, signal) ?? { kind: "decline" },
    connect(desk) {
      present = desk;
      return () => {
        if (present === desk) present = undefined;
      };
    },
  };
}
