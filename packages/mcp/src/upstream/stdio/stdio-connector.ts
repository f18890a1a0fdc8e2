import {
  type Connection,
  ConnectionError,
  type Connector,
  canonicalJson,
  type Era,
  type OpenOptions,
  type ServerDefinition,
  type StdioLaunch,
  systemClock,
} from "@tacklebox/core";
import { requireLaunch } from "../../require-launch.ts";
import { createConnection } from "../protocol/connection.ts";
import { toOpenError } from "../protocol/connection-errors.ts";
import { listenForChanges } from "../protocol/keep-listening.ts";
import { negotiate } from "../protocol/negotiate.ts";
import { MessageGate } from "../protocol/pace/message-gate.ts";
import { createServerTextRedactor, createUncutRedactor } from "../protocol/redact-server-text.ts";
import { createMessageRoom, type MessageRoom } from "../protocol/room/message-room.ts";
import { type ClientInfo, createSdkClient, describeServer, envelopeOf } from "../protocol/sdk-client.ts";
import { createServerQuestions } from "../protocol/server-questions.ts";
import { createStreamWire, type StreamWire } from "../protocol/stream-wire.ts";
import { createListenSubscriptions, createRequestSubscriptions } from "../protocol/subscriptions.ts";
import { explainEnd, explainSilence } from "./causes/explain-launch.ts";
import { inspectCommand, missingScript } from "./causes/launch-facts.ts";
import { type ServerHost, searchedPath } from "./server-process.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** `environment` is the source of the few variables that servers inherit. */
export interface StdioConnectorOptions extends ServerHost {
  readonly clientInfo: ClientInfo;
  /** The largest message accepted from a server; defaults to 16 MiB. */
  readonly maxMessageBytes?: number;
  /** Shared with the connectors of other transports; of its own if absent. */
  readonly room?: MessageRoom;
}

const TRANSPORTS = ["stdio"] as const;

/** Opens servers that are child processes. */
export function createStdioConnector(options: StdioConnectorOptions): Connector {
  const connector = { ...options, room: options.room ?? createMessageRoom() };
  const eras = new Map<string, Era>();
  // Launches whose process died in every era tried: trying both again would only start them twice as often.
  const diedBefore = new Set<string>();
  return {
    transports: TRANSPORTS,
    async open(definition, opening, signal) {
      const launch = requireLaunch(definition, TRANSPORTS);
      const key = canonicalJson(launch);
      const diedLastTime = diedBefore.delete(key);
      const hint = diedLastTime ? "legacy" : (opening.knownEra ?? eras.get(key));
      const onDied = () => diedBefore.add(key);
      const connection = await openStdio(
        connector,
        { definition, launch, options: opening, hint, diedLastTime, onDied },
        signal,
      );
      eras.set(key, connection.info.era);
      return connection;
    },
  };
}

interface StdioOpening {
  readonly definition: ServerDefinition;
  readonly launch: StdioLaunch;
  readonly options: OpenOptions;
  readonly hint: Era | undefined;
  /** The last opening ended with a dead process, so this one is not retried in another era if that happens again. */
  readonly diedLastTime: boolean;
  /** Called if the last process tried ended by itself. */
  readonly onDied: () => void;
}

async function openStdio(
  { clientInfo, maxMessageBytes, room, ...host }: StdioConnectorOptions & { readonly room: MessageRoom },
  { definition, launch, options, hint, diedLastTime, onDied }: StdioOpening,
  signal: AbortSignal,
): Promise<Connection> {
  const redact = createServerTextRedactor(definition);
  const questions = createServerQuestions(definition.key, options, redact);
  const clientDeps = { clientInfo, options, questions, redact };
  const lifetime = new AbortController();
  const mayStartAnother = () => options.mayStartAnother?.() ?? true;
  let isOpen = false;

  // Every attempt has its own process; answers of a dead one must not reach its successor.
  const wires = new WeakMap<StdioTransport, StreamWire>();
  let latest: StdioTransport | undefined;
  const { client, transport } = await negotiate(
    {
      protocol: definition.protocol,
      hint,
      createClient: (versions) => createSdkClient(clientDeps, versions),
      createTransport: (used) => {
        const wire = createStreamWire({
          post: (text, id) => created.post(text, id),
          envelope: () => envelopeOf(used, clientDeps),
          redact,
          onOddity: options.onOddity,
        });
        const created = new StdioTransport({
          launch,
          host,
          redact,
          redactUncut: createUncutRedactor(definition),
          ...(maxMessageBytes === undefined ? {} : { maxMessageBytes }),
          gate: new MessageGate({ clock: systemClock, onFlood: (flood) => options.onFlood?.(flood) }),
          room,
          accept: wire.accept,
          acceptDeep: wire.acceptDeep,
          sdkSent: wire.sdkSent,
          onOversize: wire.fail,
          onUnsent: wire.fail,
          onEnd: (cause) => {
            wire.end(cause);
            // The process of an earlier attempt says nothing about the connection.
            if (!isOpen) return;
            isOpen = false;
            lifetime.abort();
            options.onClosed(cause.message);
          },
          onServerLog: (line) => options.onServerLog?.(line),
          onOddity: (oddity) => options.onOddity?.(oddity),
        });
        wires.set(created, wire);
        latest = created;
        options.onStart?.();
        return created;
      },
      explain: (error, used) => toOpenError(used.endedBy ?? error, { protocol: definition.protocol, redact }),
      brokeOnProbe: (_error, used) => used.endedBy !== undefined && !used.sentInitialize && mayStartAnother(),
      doubtsEra: (error, used) =>
        (error.code === "protocol-error" || (used.endedBy !== undefined && !diedLastTime)) && mayStartAnother(),
    },
    signal,
  ).catch(async (error: unknown) => {
    if (latest?.endedBy !== undefined) onDied();
    throw latest === undefined ? error : await explained(error, latest, launch, host);
  });
  const wire = wires.get(transport);
  if (wire === undefined) throw new Error("negotiate returned a transport it was not given");
  isOpen = true;
  const info = describeServer(client, "stdio", definition.name);
  const onMissed = (uri: string) => options.onResourceUpdated?.(uri);
  if (info.era === "modern") listenForChanges(client, options, systemClock, lifetime.signal);
  return createConnection({
    info,
    wire,
    subscriptions:
      info.era === "modern"
        ? createListenSubscriptions({ client, onMissed, clock: systemClock, redact, lifetime: lifetime.signal })
        : createRequestSubscriptions(wire, onMissed),
    questions,
    onServerLog: (line) => options.onServerLog?.(line),
    async stop() {
      isOpen = false;
      lifetime.abort();
      await client.close();
      await transport.close();
    },
  });
}

/** Says what the process did until the opening failed, as far as that is known. */
async function explained(
  error: unknown,
  transport: StdioTransport,
  launch: StdioLaunch,
  { environment }: ServerHost,
): Promise<unknown> {
  if (!(error instanceof ConnectionError)) return error;
  const { code, message, retryable } = error;
  const beginning = transport.beginning();
  const how = transport.endedHow;
  if (how === undefined) {
    const ifLate = explainSilence(launch, beginning);
    return new ConnectionError(code, message, { retryable, cause: error, ifLate });
  }
  if (error.message !== transport.endedBy?.message) return error;
  const fact = await inspectCommand(launch, searchedPath(launch, environment));
  const facts = { fact, missingScript: await missingScript(launch) };
  const text = `${how} ${explainEnd(facts, launch, beginning)}`.trimEnd();
  return new ConnectionError(code, text, { retryable, cause: error });
}
