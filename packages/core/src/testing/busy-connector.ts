import type { ToolResult } from "../domain/call.ts";
import { ConnectionError } from "../domain/connection.ts";
import type { Clock } from "../ports/clock.ts";
import type { CallFinish, CallInFlight, Connection, Connector, OpenOptions, OutgoingCall } from "../ports/connector.ts";
import { NO_OFFERS } from "../servers/link/no-offers.ts";
import { between, type Random } from "./seeded-random.ts";

/** What the server does with a call after `ms`, as its arguments say. */
export const BEHAVIOURS = [
  /** Answers, but stops at once when cancelled. */
  "answer",
  "fail",
  /** Answers even when cancelled. */
  "late",
  /** Works until the connection ends. */
  "never",
  /** Takes the whole server down. */
  "crash",
] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

export interface BusyConnector extends Connector {
  /** The number of calls in progress for one tool, one server, or all of them, as counted by the servers themselves. */
  busy(server?: string, tool?: string): number;
  /** Called when a server begins a call. */
  onBegin: (call: {
    readonly server: string;
    readonly tool: string;
    readonly arguments: OutgoingCall["arguments"];
  }) => void;
  /** Ends every process of a server. */
  crash(server: string): void;
}

interface Work {
  readonly server: string;
  readonly tool: string;
  readonly stop: (error: ConnectionError) => void;
}

interface Worker {
  readonly clock: Clock;
  readonly begin: (work: Work) => void;
  readonly end: (work: Work) => void;
  /** Takes the whole server down. */
  readonly crash: () => void;
}

/** Servers in virtual time that count their own work, independently of the engine. Opening and closing take time. */
export function createBusyConnector(
  toolsOf: Readonly<Record<string, readonly string[]>>,
  clock: Clock,
  random: Random,
): BusyConnector {
  const working = new Set<Work>();
  const crashers = new Map<string, Set<() => void>>();

  function connect(server: string, options: OpenOptions): Connection {
    const mine = new Set<Work>();
    let state: "open" | "closing" | "ended" = "open";
    const end = (cause: string) => {
      if (state === "ended") return;
      state = "ended";
      crashers.get(server)?.delete(crash);
      for (const work of [...mine]) work.stop(new ConnectionError("interrupted", cause));
    };
    const crash = () => {
      const wasOpen = state === "open";
      end("crashed");
      if (wasOpen) options.onClosed("crashed");
    };
    crashers.set(server, (crashers.get(server) ?? new Set()).add(crash));
    let closed: Promise<void> | undefined;

    return {
      info: {
        name: server,
        version: "1.0.0",
        protocolVersion: "2025-11-25",
        era: "legacy",
        transport: "stdio",
        capabilities: { tools: {} },
      },
      listTools: async () => ({
        entries: (toolsOf[server] ?? []).map((name) => ({ name, inputSchema: { type: "object" } })),
      }),
      callTool(call) {
        if (state !== "open") {
          return {
            answer: Promise.reject(new ConnectionError("unreachable", "closed")),
            finished: Promise.resolve("unknown"),
          };
        }
        return workOn(server, call, {
          clock,
          begin(work) {
            working.add(work);
            mine.add(work);
            connector.onBegin({ server, tool: call.name, arguments: call.arguments });
          },
          end(work) {
            working.delete(work);
            mine.delete(work);
          },
          crash,
        });
      },
      ...NO_OFFERS,
      close() {
        // A process that is asked to end keeps working until it has ended.
        closed ??= new Promise((resolve) => {
          if (state === "open") state = "closing";
          clock.after(between(random, 1, 100), () => {
            end("closed");
            resolve();
          });
        });
        return closed;
      },
    };
  }

  const connector: BusyConnector = {
    transports: ["stdio"],
    onBegin: () => undefined,
    busy: (server, tool) =>
      [...working].filter(
        (work) => (server === undefined || work.server === server) && (tool === undefined || work.tool === tool),
      ).length,
    crash(server) {
      for (const crash of [...(crashers.get(server) ?? [])]) crash();
    },
    async open({ key }, options, signal) {
      await new Promise<void>((resolve, reject) => {
        const cancelTimer = clock.after(between(random, 1, 30), resolve);
        signal.addEventListener("abort", () => {
          cancelTimer();
          reject(new ConnectionError("cancelled", "cancelled"));
        });
      });
      if (random() < 0.1) throw new ConnectionError("unreachable", "not this time");
      return connect(key, options);
    },
  };
  return connector;
}

function workOn(server: string, call: OutgoingCall, worker: Worker): CallInFlight {
  const behaviour = BEHAVIOURS.find((known) => known === call.arguments.behaviour) ?? "answer";
  let finish: () => void = () => undefined;
  const finished = new Promise<CallFinish>((resolve) => {
    finish = () => resolve("unknown");
  });
  const answer = new Promise<ToolResult>((resolve, reject) => {
    const work: Work = {
      server,
      tool: call.name,
      stop(error) {
        release();
        reject(error);
      },
    };
    const release = () => {
      cancelTimer();
      worker.end(work);
      finish();
    };
    const due = () => {
      if (behaviour === "never") return;
      if (behaviour === "crash") return worker.crash();
      release();
      resolve({ content: [], isError: behaviour === "fail" });
    };
    const cancelTimer = worker.clock.after(Number(call.arguments.ms), due);
    const cancel = () => {
      if (behaviour === "answer" || behaviour === "fail") release();
      reject(new ConnectionError("cancelled", "cancelled"));
    };
    if (call.signal.aborted) {
      cancelTimer();
      finish();
      return reject(new ConnectionError("cancelled", "cancelled"));
    }
    call.signal.addEventListener("abort", cancel, { once: true });
    worker.begin(work);
  });
  return { answer, finished };
}
