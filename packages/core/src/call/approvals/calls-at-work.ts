/** A call that a server is working on. */
export interface CallAtWork {
  readonly id: string;
  readonly sessionId?: string | undefined;
  /** Whether a person behind the caller can be asked. */
  readonly attended: boolean;
}

/** Tracks which calls each server is working on, so that a server's question reaches the person it is meant for. */
export interface CallsAtWork {
  /** Notes that the server is working on the call. Returns a function to call when the call has ended. */
  enter(server: string, call: CallAtWork): () => void;
  /**
   * The latest call at this server, if all calls there are attended and belong to one session. Otherwise it is unknown
   * whom a question is for, and it must not be shown to the wrong person.
   */
  find(server: string): CallAtWork | undefined;
  /**
   * Calls the listener once, when the server works on none of the session's calls any more. Returns a function that
   * cancels it.
   */
  onLeft(server: string, sessionId: string | undefined, listener: () => void): () => void;
}

export function createCallsAtWork(): CallsAtWork {
  const servers = new Map<string, Set<CallAtWork>>();
  const checks = new Set<() => void>();
  const isAtWork = (server: string, sessionId: string | undefined) =>
    [...(servers.get(server) ?? [])].some((call) => call.sessionId === sessionId);

  return {
    enter(server, call) {
      const calls = servers.get(server) ?? new Set<CallAtWork>();
      servers.set(server, calls.add(call));
      return () => {
        calls.delete(call);
        if (calls.size === 0 && servers.get(server) === calls) servers.delete(server);
        for (const check of [...checks]) check();
      };
    },
    find(server) {
      const calls = [...(servers.get(server) ?? [])];
      const last = calls.at(-1);
      return calls.every((call) => call.attended && call.sessionId === last?.sessionId) ? last : undefined;
    },
    onLeft(server, sessionId, listener) {
      const check = () => {
        if (isAtWork(server, sessionId)) return;
        checks.delete(check);
        listener();
      };
      checks.add(check);
      return () => checks.delete(check);
    },
  };
}
