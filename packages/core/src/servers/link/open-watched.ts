import { ConnectionError, type Flood } from "../../domain/connection.ts";
import type { Era, ServerDefinition } from "../../domain/server.ts";
import type { Connection } from "../../ports/connector.ts";
import type { KnownSecrets } from "../../ports/known-secrets.ts";
import { fillSecrets } from "../../secrets/fill-secrets.ts";
import { secretsOf } from "../../secrets/find-secrets.ts";
import { createRedactor } from "../../secrets/redact.ts";
import type { LinkDeps, LinkWatcher, OpenedLink, ServerSideOptions } from "./managed-link.ts";
import { openConnection } from "./open-connection.ts";
import type { QuestionTime } from "./question-time.ts";
import type { StartPace } from "./start-pace.ts";

export interface OpenWatchedDeps extends LinkDeps {
  readonly pace: StartPace;
  readonly questions: QuestionTime;
  readonly watcher: LinkWatcher;
  readonly flooded: (flood: Flood) => void;
  /** Called when a connection that was handed out is lost. */
  readonly dropped: (connection: Connection, cause: string) => void;
}

/** Opens a connection with its secrets filled in, and passes it to the watcher before any call uses it. */
export async function openWatched(
  definition: ServerDefinition,
  era: Era | undefined,
  {
    connectors,
    clock,
    vault,
    advice,
    knownSecrets,
    warn,
    openOptions,
    place,
    pace,
    questions,
    watcher,
    flooded,
    dropped,
  }: OpenWatchedDeps,
  signal: AbortSignal,
): Promise<Connection> {
  let lost: string | undefined;
  let current: OpenedLink | undefined;
  let changedMeanwhile = false;
  const lent: string[] = [];
  const lend: Pick<KnownSecrets, "add"> = {
    add(values, holder) {
      lent.push(...values);
      knownSecrets.add(values, holder);
    },
  };
  const launch = await fillSecrets(definition.launch, vault, lend, advice, (text) =>
    warn?.(`${text} (used by server '${definition.name}')`),
  );
  const filled = { ...definition, launch };
  const secrets = [...lent, ...secretsOf(filled)];
  knownSecrets.add(secrets);
  const connection = await openConnection(
    filled,
    connectors,
    {
      ...countQuestions(openOptions(definition), questions),
      ...(era !== undefined && { knownEra: era }),
      onToolsChanged: () => {
        if (current === undefined) changedMeanwhile = true;
        else watcher.toolsChanged(current);
      },
      onClosed: (cause) => {
        lost = cause;
        if (current !== undefined) dropped(current.connection, cause);
      },
      onServerLog: watcher.serverLogged,
      onFlood: flooded,
    },
    { clock, pace, place },
    signal,
  );
  const opened = { connection, redact: createRedactor(secrets) };
  try {
    changedMeanwhile = false;
    if (lost === undefined) await watcher.opened(opened);
  } catch (error) {
    await connection.close();
    throw error;
  }
  if (signal.aborted || lost !== undefined) {
    await connection.close();
    throw new ConnectionError("unreachable", lost ?? "the connection was closed while it opened");
  }
  current = opened;
  // The server reported a change while its tools were being listed, so the list may be out of date.
  if (changedMeanwhile) watcher.toolsChanged(opened);
  return connection;
}

function countQuestions(options: ServerSideOptions, questions: QuestionTime): ServerSideOptions {
  const { elicit } = options;
  return elicit === undefined ? options : { ...options, elicit: questions.counted(elicit) };
}
