import { ConnectionError } from "../../domain/connection.ts";
import type { Connection } from "../../ports/connector.ts";

function notOffered(what: string): () => Promise<never> {
  return () => Promise.reject(new ConnectionError("protocol-error", `it does not offer ${what}`));
}

/** The methods of a connection to a server that has tools and nothing else. */
export const NO_OFFERS = {
  listResources: async () => [],
  listResourceTemplates: async () => [],
  listPrompts: async () => [],
  readResource: notOffered("resources"),
  getPrompt: notOffered("prompts"),
  complete: notOffered("completion"),
  subscribeResource: notOffered("resource subscriptions"),
  unsubscribeResource: notOffered("resource subscriptions"),
} satisfies Partial<Connection>;
