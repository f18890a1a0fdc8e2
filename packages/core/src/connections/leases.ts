import type { Connection } from "../ports/connector.ts";
import type { Lease } from "../ports/server-link.ts";

export interface Leases {
  take(connection: Connection, retire: () => void): Lease;
  /** The connection is gone by itself; nobody needs to close it. */
  forget(connection: Connection): void;
  closeRetired(): Promise<void>;
  /** Settles when nobody uses the connection. */
  idle(connection: Connection): Promise<void>;
}

interface Use {
  active: number;
  readonly whenIdle: (() => void)[];
  /** Set once somebody abandoned the connection: what closes it, and who waits for that. */
  retired?: { readonly closed: Promise<void>; readonly settle: () => void };
}

/** Counts who uses which connection, so that an abandoned one is closed as soon as its other calls are over. */
export function createLeases(): Leases {
  const uses = new Map<Connection, Use>();

  function closeIfUnused(connection: Connection, use: Use): void {
    if (use.active > 0 || use.retired === undefined) return;
    uses.delete(connection);
    void connection.close().then(use.retired.settle);
  }

  function take(connection: Connection, retire: () => void): Lease {
    const use = uses.get(connection) ?? { active: 0, whenIdle: [] };
    uses.set(connection, use);
    use.active += 1;
    let held = true;
    const letGo = () => {
      if (!held) return;
      held = false;
      use.active -= 1;
      if (use.active === 0) for (const wake of use.whenIdle.splice(0)) wake();
      closeIfUnused(connection, use);
      if (use.active === 0 && use.retired === undefined) uses.delete(connection);
    };
    return {
      connection,
      release: letGo,
      abandon() {
        if (use.retired === undefined) {
          use.retired = settleable();
          retire();
        }
        letGo();
        return use.retired.closed;
      },
    };
  }

  return {
    take,
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
