import { withSignalEach } from "../async/signal-each.ts";
import type { AskOptions, EngineServers } from "../engine.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import type { Access } from "./access.ts";
import { noSuchServer } from "./offers.ts";

export type OfferMethods = Pick<
  EngineServers,
  "offers" | "readResource" | "getPrompt" | "complete" | "subscribe" | "unsubscribe"
>;

/** The engine's methods for resources, prompts and completions; each goes to the set that the server belongs to. */
export function createOfferDoor(
  accessOf: (sessionId: string | undefined) => Access,
  newId: () => string,
  redact: Redactor,
): OfferMethods {
  const never = new AbortController().signal;
  const subscriptions = new Map<string, () => Promise<void>>();
  const offersOf = (server: string, { sessionId }: AskOptions) => accessOf(sessionId).named(server)?.set.offers;

  return {
    async offers(server, { signal = never, sessionId } = {}) {
      const asked = accessOf(sessionId)
        .servers()
        .filter(({ entry: { definition, link } }) => link !== undefined && definition.scope !== "local")
        .filter(({ entry }) => server === undefined || entry.definition.key === server);
      return withSignalEach(asked, signal, ({ set, entry }, stop) => set.offers.list(entry.definition.key, stop));
    },
    readResource: async (server, uri, { signal = never, ...within } = {}) =>
      offersOf(server, within)?.readResource(server, uri, signal) ?? noSuchServer(redact(server)),
    getPrompt: async (server, name, args, { signal = never, ...within } = {}) =>
      offersOf(server, within)?.getPrompt(server, name, args, signal) ?? noSuchServer(redact(server)),
    complete: async (server, request, { signal = never, ...within } = {}) =>
      offersOf(server, within)?.complete(server, request, signal) ?? noSuchServer(redact(server)),
    async subscribe(server, uri, within = {}) {
      const answer = (await offersOf(server, within)?.subscribe(server, uri)) ?? noSuchServer(redact(server));
      if (answer.kind === "failed") return answer;
      const id = newId();
      subscriptions.set(id, answer.value);
      return { kind: "ok", value: { id } };
    },
    async unsubscribe(id) {
      const end = subscriptions.get(id);
      subscriptions.delete(id);
      await end?.();
      return end !== undefined;
    },
  };
}
