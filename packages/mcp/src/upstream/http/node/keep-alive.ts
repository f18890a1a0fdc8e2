import type http from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Shorter than the 5 s most servers use, so that a request is not sent on a connection that is being closed. */
const IDLE_MS = 4000;
/** How much earlier than the server's announced timeout we close an idle connection. */
const MARGIN_MS = 1000;
/** Far more than call limits allow at once, but bounded, so that a runaway cannot use up our file descriptors. */
const MAX_SOCKETS_PER_ORIGIN = 256;

export const agentOptions = { keepAlive: true, maxSockets: MAX_SOCKETS_PER_ORIGIN };

/** Sockets that were connected, so that bytes may have been sent on them. */
const connected = new WeakSet<Duplex>();
/** Idle timeouts of servers that close idle connections sooner than we would. */
const idleMsOf = new WeakMap<Duplex, number>();

/**
 * Makes an agent watch its sockets, once per socket instead of once per request.
 * `ready` is the event after which a socket of this agent can carry a request.
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
    // Only idle connections have a timeout; requests are limited by their signal alone.
    if (socket instanceof Socket) socket.setTimeout(0);
    socket.off("end", closeEnded);
  };
  return agent;
}

/**
 * Must be called right before each request. An agent hands out its newest idle connection but checks only the oldest
 * for being open. A connection the server ended stays in the pool until it is closed, some event loop turns later, and
 * a call that was never sent would be reported as one that may have run.
 */
export function dropEndedSockets(agent: http.Agent): void {
  for (const origin in agent.freeSockets) {
    const idle = agent.freeSockets[origin] ?? [];
    for (let last = idle.length - 1; idle[last]?.destroyed; last -= 1) idle[last]?.emit("agentRemove");
  }
}

/** Newer versions of Node do this themselves. */
function closeEnded(this: Socket): void {
  this.destroy();
}

export function wasConnected(socket: Duplex | null): boolean {
  return socket !== null && connected.has(socket);
}

/** Remembers the idle timeout that a reply's `Keep-Alive` header announces for its connection. */
export function noteIdleLimit(socket: Duplex, header: string): void {
  const seconds = /timeout=(\d+)/.exec(header)?.[1];
  if (seconds === undefined) return;
  const idleMs = Number(seconds) * 1000 - MARGIN_MS;
  if (idleMs < IDLE_MS) idleMsOf.set(socket, idleMs);
}
