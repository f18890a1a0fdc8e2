import type { ConnectionError } from "../../domain/connection.ts";
import type { Connection } from "../../ports/connector.ts";
import type { Lease } from "./link.ts";

export interface Leases {
  take(connection: Connection): Lease;
  /** Drops a connection that was lost: it needs no closing. */
  forget(connection: Connection): void;
  closeRetired(): Promise<void>;
  /** Settles when no call uses the connection. */
  idle(connection: Connection): Promise<void>;
}

/** What users of a connection report about it. */
export interface LeaseEvents {
  /** Called once, when a call abandons the connection: no other call may get it. */
  readonly retire: (connection: Connection) => void;
  readonly coolDown: (error: ConnectionError) => void;
}

interface Use {
  active: number;
  readonly whenIdle: (() => void)[];
  /** Set once a call abandoned the connection. `closed` settles when it is closed; `settle` does that. */
  retired?: { readonly closed: Promise<void>; readonly settle: () => void };
}

/** Counts the calls on each connection, so that an abandoned one is closed as soon as its other calls are over. */
export function createLeases(events: LeaseEvents): Leases {
  const uses = new Map<Connection, Use>();

  function addUse(connection: Connection): Use {
    const use = { active: 0, whenIdle: [] };
    uses.set(connection, use);
    return use;
  }

  function endUse(connection: Connection, use: Use): void {
    use.active -= 1;
    if (use.active > 0) return;
    for (const wake of use.whenIdle.splice(0)) wake();
    if (uses.get(connection) === use) uses.delete(connection);
    if (use.retired !== undefined) void connection.close().then(use.retired.settle);
  }

  /**
   * A class, because every call takes a lease: its methods are shared, whereas closures would be allocated each time.
   */
  class CountedLease implements Lease {
    readonly connection: Connection;
    readonly #use: Use;
    #held = true;

    constructor(connection: Connection, use: Use) {
      this.connection = connection;
      this.#use = use;
      use.active += 1;
    }

    release(): void {
      if (!this.#held) return;
      this.#held = false;
      endUse(this.connection, this.#use);
    }

    abandon(): Promise<void> {
      const use = this.#use;
      if (use.retired === undefined) {
        use.retired = settleable();
        events.retire(this.connection);
      }
      this.release();
      return use.retired.closed;
    }

    coolDown(error: ConnectionError): void {
      events.coolDown(error);
    }
  }

  return {
    take(connection) {
      return new CountedLease(connection, uses.get(connection) ?? addUse(connection));
    },
    forget(connection) {
      const use = uses.get(connection);
      use?.retired?.settle();
      for (const wake of use?.whenIdle.splice(0) ?? []) wake();
      uses.delete(connection);
    },
    idle(connection) {
      const use = uses.get(connection);
      if (use === undefined || use.active === 0) return Promise.resolve();
      return new Promise((resolve) => use.whenIdle.push(resolve));
    },
    async closeRetired() {
      const retired = [...uses].filter(([, use]) => use.retired !== undefined);
      await Promise.all(retired.map(([connection]) => connection.close()));
      for (const [connection, use] of retired) {
        uses.delete(connection);
        use.retired?.settle();
      }
    },
  };
}

function settleable(): { closed: Promise<void>; settle: () => void } {
  let settle: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { closed, settle };
}
