import { type Engine, listen } from "@tacklebox/core";
import { printableLine } from "../output/printable.ts";

/** Says when a server that is up offers other tools than before. */
export interface ToolWatch {
  /** Call it when the start is announced: what is offered by then is not news. */
  started(): Promise<void>;
  close(): void;
}

/** The shown names of the tools of every server that is up. */
type Offered = ReadonlyMap<string, readonly string[]>;

/** How many names are written out. */
const MAX_NAMES = 8;

export function watchTools(
  engine: Pick<Engine, "events" | "servers" | "tools">,
  print: (text: string) => void,
): ToolWatch {
  let looking: Promise<void> = Promise.resolve();
  let before: Offered | undefined;
  let isClosed = false;

  async function look(): Promise<void> {
    const now = await offered(engine);
    if (before !== undefined && !isClosed) for (const text of describeChanges(before, now)) print(text);
    before = now;
  }

  /** Looks after all earlier looks are over. A failed one must not end the chat. */
  function lookInTurn(): Promise<void> {
    looking = looking.then(look).catch(() => undefined);
    return looking;
  }

  const stopListening = listen(engine, (event) => {
    if (before === undefined) return;
    if (event.type === "gap" || (event.type === "toolbox-changed" && event.sessionId === undefined)) void lookInTurn();
  });

  return {
    started: lookInTurn,
    close() {
      isClosed = true;
      stopListening();
    },
  };
}

async function offered({ servers, tools }: Pick<Engine, "servers" | "tools">): Promise<Offered> {
  const views = await servers.list();
  const names = new Map<string, string[]>();
  for (const { key, scope, status } of views) if (scope !== "local" && status === "connected") names.set(key, []);
  for (const { ref, shownName } of await tools.list()) names.get(ref.server)?.push(shownName);
  return names;
}

/** A server that has just come up, or is down now, is announced elsewhere. */
function describeChanges(before: Offered, now: Offered): readonly string[] {
  return [...now].flatMap(([server, names]) => {
    const known = before.get(server);
    if (known === undefined) return [];
    const added = names.filter((name) => !known.includes(name));
    const removed = known.filter((name) => !names.includes(name));
    return [...describe(server, "now offers", added), ...describe(server, "no longer offers", removed)];
  });
}

function describe(server: string, what: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const more = names.length - MAX_NAMES;
  const listed = [...names.slice(0, MAX_NAMES), ...(more > 0 ? [`${more} more`] : [])].join(", ");
  return [printableLine(`${server} ${what}: ${listed}`)];
}
