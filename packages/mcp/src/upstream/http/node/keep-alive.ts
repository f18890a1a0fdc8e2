import type http from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Shorter than the usual 5 s of servers, so that a request is not sent into a connection that is being closed. */
const IDLE_MS = 4000;
/** How much sooner than a server announces it we close an idle connection. */
const MARGIN_MS = 1000;
/** Far more than limits let run at once; without any bound a runaway would use up the files this process may open. */
const MAX_SOCKETS_PER_ORIGIN = 256;

export const agentOptions = { keepAlive: true, maxSockets: MAX_SOCKETS_PER_ORIGIN };

/** Sockets that reached the other side, so that something may have left through them. */
const connected = new WeakSet<Duplex>();
/** Only for servers that close idle connections sooner than we would. */
const idleMsOf = new WeakMap<Duplex, number>();

/**
 * Has an agent watch its sockets, once per socket instead of once per request.
 * `ready` is the event that says that a socket of this agent can carry a request.
 */
export function watchSockets<A extends http.Agent>(agent: A, ready: "connect" | "secureConnect"): A {
  const create = agent.createConnection;
  agent.createConnection = (options, callback) => {
    const socket = create.call(agent, options, callback);
    socket?.once(ready, () => connected.add(socket));
    return socket;
  };
  agent.keepSocketAlive = (socket) => {
    const idleMs = idleMsOf.get(socket) ?? IDLE_MS;
    if (!(socket instanceof Socket) || idleMs <= 0) return false;
    socket.unref();
    socket.setTimeout(idleMs);
    socket.once("end", closeEnded);
    return true;
  };
  const reuse = agent.reuseSocket;
  agent.reuseSocket = (socket, request) => {
    reuse.call(agent, socket, request);
    // Idle connections have a clock, requests have none but their signal.
    if (socket instanceof Socket) socket.setTimeout(0);
    socket.off("end", closeEnded);
  };
  return agent;
}

/**
 * To be called right before each request. An agent hands out its newest idle connection, but asks only the oldest
 * whether it is still open: one that the other side ended stays in the pool until it is closed, turns of the loop later,
 * and a call that never left would be told as one that may have run.
 */
export function dropEnded(agent: http.Agent): void {
  for (const origin in agent.freeSockets) {
    const idle = agent.freeSockets[origin] ?? [];
    for (let last = idle.length - 1; idle[last]?.destroyed; last -= 1) idle[last]?.emit("agentRemove");
  }
}

/** Newer versions of Node do this by themselves, without the event. */
function closeEnded(this: Socket): void {
  this.destroy();
}

export function wasConnected(socket: Duplex | null): boolean {
  return socket !== null && connected.has(socket);
}

/** Takes note of what a reply's `Keep-Alive` header says about the connection it came over. */
export function noteIdleLimit(socket: Duplex, header: string): void {
  const seconds = /timeout=(\d+)/.exec(header)?.[1];
  if (seconds === undefined) return;
  const idleMs = Number(seconds) * 1000 - MARGIN_MS;
  if (idleMs < IDLE_MS) idleMsOf.set(socket, idleMs);
}
