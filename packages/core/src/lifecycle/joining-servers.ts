import { overOrStopped } from "../async/over-or-stopped.ts";
import type { ConnectionError } from "../domain/connection.ts";
import type { Ports } from "../ports/ports.ts";
import { fetchPrompts } from "../servers/fetch-prompts.ts";
import type { Inventories } from "../servers/inventories.ts";
import type { ServerSet } from "../servers/server-set.ts";
import type { ServerEntry } from "../servers/servers.ts";
import { cannotJoinText } from "../servers/start-texts.ts";
import type { ToolboxKeeper } from "../toolbox/keep-toolbox.ts";
import type { NameMemory } from "../toolbox/names/name-memory.ts";

/** Servers that connect in the background, so that no one waits for them who does not need them. */
export interface JoiningServers {
  /** `started` resolves when the engine has started, and says whether it could. */
  connect(entries: readonly ServerEntry[], started: Promise<boolean>): void;
  /** Gives up on what is still asked of servers that have joined. */
  stop(): void;
  /** Resolves when nothing is asked or stored any more. Call it after the servers are closed. */
  settled(): Promise<void>;
}

export interface JoiningDeps {
  readonly ports: Pick<Ports, "logger" | "clock" | "knownSecrets">;
  readonly agent: () => {
    readonly set: ServerSet;
    readonly keeper: ToolboxKeeper;
    readonly names: NameMemory;
    readonly inventories: Inventories;
  };
  /** Whether the toolbox is rebuilt by itself when a server lists its tools. */
  readonly isRunning: () => boolean;
}

export function createJoiningServers({ ports, agent, isRunning }: JoiningDeps): JoiningServers {
  const { logger, clock, knownSecrets } = ports;
  const { redact } = knownSecrets;
  const stopping = new AbortController();
  const finishing = new Set<Promise<void>>();

  function failed({ definition, link }: ServerEntry, failure: ConnectionError): void {
    // Closed on purpose: it was removed or changed in the config, or the engine is stopping.
    if (link?.status().status !== "error") return;
    logger.log("warn", cannotJoinText(definition, redact(failure.message)));
    // Its tools' names were kept for it until now.
    const { set, keeper, names } = agent();
    const kept = set.catalog.namesOfLastTime(definition)?.size ?? 0;
    if (isRunning() && kept > 0) keeper.refresh();
    void names.save();
  }

  /** `early`: it was listed before the toolbox was rebuilt by itself, perhaps just after it was first built. */
  async function joined(entry: ServerEntry, early: boolean, started: Promise<boolean>): Promise<void> {
    let hasStarted = false;
    const begun = started.then(
      (could) => {
        hasStarted = could;
        // A start that fails for another reason is reported to whoever awaits it.
      },
      () => undefined,
    );
    // Stopped too: after a start that failed, the engine of a reload may never begin.
    await overOrStopped(begun, stopping.signal);
    if (!hasStarted) return;
    const { set, keeper, names, inventories } = agent();
    if (early) keeper.refresh();
    await inventories.save([entry], set.catalog);
    await names.save();
    await fetchPrompts([entry], { logger, redact, clock }, stopping.signal);
  }

  return {
    connect(entries, started) {
      for (const entry of entries)
        agent().set.firstConnections.connect(entry, (_entry, failure) => {
          if (failure !== undefined) return failed(entry, failure);
          const finished = joined(entry, !isRunning(), started).finally(() => finishing.delete(finished));
          finishing.add(finished);
        });
    },
    stop: () => stopping.abort(),
    async settled() {
      await Promise.all(finishing);
    },
  };
}
