import type { ServerDefinition } from "../domain/server.ts";
import type { Access } from "../servers/access.ts";
import type { LinkState } from "../servers/link/managed-link.ts";

/** What is known about a server that one caller can use, to say why a tool of it cannot be called. */
export interface KnownServer {
  readonly definition: ServerDefinition;
  /** Undefined if it is disabled. */
  readonly state: LinkState | undefined;
  /** Whether it has listed its tools since the engine started. */
  readonly isListed: boolean;
  /** Whether it is connecting for the first time, so that calls wait for it. */
  readonly isComing: boolean;
  /** The names of the tools that it offered last time. */
  readonly namesOfLastTime: ReadonlySet<string> | undefined;
}

export function knownServers(access: Access): readonly KnownServer[] {
  const coming = new Set(access.coming().map(({ entry }) => entry.link));
  return access.servers().map(({ set: { catalog }, entry: { definition, link } }) => ({
    definition,
    state: link?.status(),
    isListed: link !== undefined && catalog.listingOf(definition) !== undefined,
    isComing: link !== undefined && coming.has(link),
    namesOfLastTime: catalog.namesOfLastTime(definition),
  }));
}
