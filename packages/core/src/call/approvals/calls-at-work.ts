/** A call that a server is working on. */
export interface CallAtWork {
  readonly id: string;
  readonly sessionId?: string | undefined;
  /** Whether whoever made it can be asked. */
  readonly attended: boolean;
}

/** Which calls are at which server, so that a server's question finds the person it is for. */
export interface CallsAtWork {
  /** Returns what to call when it has ended. */
  enter(server: string, call: CallAtWork): () => void;
  /**
   * The last call at this server, if all calls there are of one session and attended. Otherwise nothing says whose the
   * question is, and it must not be shown to the wrong person.
   */
  find(server: string): CallAtWork | undefined;
  /** Calls the listener once, when none of the session's calls is at the server any more. Returns how to stop that. */
  onLeft(server: string, sessionId: string | undefined, listener: () => void): () => void;
}

export function createCallsAtWork(): CallsAtWork {
  const servers = new Map<string, Set<CallAtWork>>();
  const waiting = new Set<() => void>();
  const isThere = (server: string, sessionId: string | undefined) =>
    [...(servers.get(server) ?? [])].some((call) => call.sessionId === sessionId);

  return {
    enter(server, call) {
      const calls = servers.get(server) ?? new Set<CallAtWork>();
      servers.set(server, calls.add(call));
      return () => {
        calls.delete(call);
        if (calls.size === 0 && servers.get(server) === calls) servers.delete(server);
        for (const look of [...waiting]) look();
      };
    },
    find(server) {
      const calls = [...(servers.get(server) ?? [])];
      const last = calls.at(-1);
      return calls.every((call) => call.attended && call.sessionId === last?.sessionId) ? last : undefined;
    },
    onLeft(server, sessionId, listener) {
      const look = () => {
        if (isThere(server, sessionId)) return;
        waiting.delete(look);
        listener();
      };
      waiting.add(look);
      return () => waiting.delete(look);
    },
  };
}
