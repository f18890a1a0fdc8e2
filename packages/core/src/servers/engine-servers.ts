import { endingOf } from "../domain/connection.ts";
import { type Answer, failed } from "../domain/failure.ts";
import type { ServerDefinition } from "../domain/server.ts";
import type { ServerView } from "../domain/server-view.ts";
import type { AskOptions, EngineServers, InSession } from "../engine.ts";
import type { EngineConfig } from "../engine-host.ts";
import type { Ports } from "../ports/ports.ts";
import { addServerSecrets } from "../secrets/secret-holders.ts";
import type { Access } from "./access.ts";
import { createOfferDoor } from "./offer-door.ts";
import { noSuchServer } from "./offers.ts";
import type { ServerSet } from "./server-set.ts";
import { openEntry } from "./start-servers.ts";

export interface EngineServersDeps {
  readonly ports: Pick<Ports, "knownSecrets" | "newId">;
  readonly accessOf: (sessionId: string | undefined) => Access;
  /** The agent's own servers. */
  readonly set: ServerSet;
  readonly lifecycle: {
    /** Marks the engine as started, for a caller that connects servers one by one. */
    begin(): void;
    /**
     * Applies the config that `next` returns, after all changes requested before. Does nothing if that is undefined.
     */
    change(next: (config: EngineConfig) => EngineConfig | undefined): Promise<boolean>;
  };
  /** Rebuilds the agent's toolbox. */
  readonly refresh: () => void;
}

export function createEngineServers({ ports, accessOf, set, lifecycle, refresh }: EngineServersDeps): EngineServers {
  const { knownSecrets } = ports;
  const never = new AbortController().signal;

  function withServer(config: EngineConfig, definition: ServerDefinition): EngineConfig {
    const others = config.servers.filter(({ scope, key }) => scope !== definition.scope || key !== definition.key);
    return { ...config, servers: [...others, definition] };
  }

  async function connect(key: string, options: AskOptions = {}): Promise<Answer<ServerView>> {
    const access = accessOf(options.sessionId);
    const found = access.named(key);
    if (found === undefined) return noSuchServer(knownSecrets.redact(key));
    const { entry } = found;
    if (entry.link === undefined) return failed("disabled", `Server '${key}' is disabled. Enable it first`);
    if (found.set === set) lifecycle.begin();
    const failure = await openEntry(entry, options.signal ?? never);
    if (found.set === set) refresh();
    if (failure !== undefined) return failed(endingOf(failure), knownSecrets.redact(failure.message));
    return { kind: "ok", value: found.set.viewOf(entry, access.toolbox()) };
  }

  return {
    async list({ sessionId }: InSession = {}) {
      const access = accessOf(sessionId);
      const toolbox = access.peek();
      return access.servers().map((found) => found.set.viewOf(found.entry, toolbox));
    },
    async add(definition) {
      addServerSecrets(knownSecrets, definition);
      await lifecycle.change((config) => withServer(config, definition));
    },
    async remove(scope, key) {
      const isWanted = (server: ServerDefinition) => server.scope === scope && server.key === key;
      return lifecycle.change((config) => {
        if (!config.servers.some(isWanted)) return undefined;
        return { ...config, servers: config.servers.filter((server) => !isWanted(server)) };
      });
    },
    connect,
    async disconnect(key, { sessionId } = {}) {
      const link = accessOf(sessionId).named(key)?.entry.link;
      await link?.close();
      return link !== undefined;
    },
    ...createOfferDoor(accessOf, ports.newId, knownSecrets.redact),
  };
}
