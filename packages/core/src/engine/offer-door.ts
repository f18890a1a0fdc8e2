import type { AskOptions, Engine } from "../domain/engine.ts";
import { noSuchServer } from "./offers.ts";
import type { Reach } from "./reach.ts";

type OfferMethods = Pick<Engine, "listOffers" | "readResource" | "getPrompt" | "complete" | "subscribeResource">;

/** The engine's questions about what servers offer, each put to the set that the server belongs to. */
export function createOfferDoor(reachOf: (sessionId: string | undefined) => Reach): OfferMethods {
  const never = new AbortController().signal;
  const offersOf = (server: string, { sessionId }: AskOptions) => reachOf(sessionId).named(server)?.set.offers;

  return {
    async listOffers(server, { signal = never, sessionId } = {}) {
      const asked = reachOf(sessionId)
        .servers()
        .filter(({ entry: { definition, link } }) => link !== undefined && definition.scope !== "local")
        .filter(({ entry }) => server === undefined || entry.definition.key === server);
      return Promise.all(asked.map(({ set, entry }) => set.offers.list(entry.definition.key, signal)));
    },
    readResource: async (server, uri, { signal = never, ...within } = {}) =>
      offersOf(server, within)?.readResource(server, uri, signal) ?? noSuchServer(server),
    getPrompt: async (server, name, args, { signal = never, ...within } = {}) =>
      offersOf(server, within)?.getPrompt(server, name, args, signal) ?? noSuchServer(server),
    complete: async (server, request, { signal = never, ...within } = {}) =>
      offersOf(server, within)?.complete(server, request, signal) ?? noSuchServer(server),
    subscribeResource: async (server, uri, within = {}) =>
      offersOf(server, within)?.subscribe(server, uri) ?? noSuchServer(server),
  };
}
