import type { EngineEvent } from "../../domain/events.ts";
import type { Grant } from "../../domain/grant.ts";
import type { ToolRef } from "../../domain/tool.ts";
import type { Grants } from "../../ports/store.ts";
import type { Access } from "../../servers/access.ts";

/** The grants that may count for one tool: those of this session first, then the permanent ones. */
export function grantsFor(grants: readonly Grant[], ref: ToolRef, sessionId: string | undefined): readonly Grant[] {
  const own = grants.filter(
    ({ scope, server, tool }) => scope === ref.scope && server === ref.server && tool === ref.name,
  );
  return [
    ...own.filter((grant) => grant.sessionId !== undefined && grant.sessionId === sessionId),
    ...own.filter((grant) => grant.sessionId === undefined),
  ];
}

/** Saves grants under the server names that the caller's access uses for them. */
export function withGrantNames(access: Pick<Access, "grantNameOf">, grants: Grants): Grants {
  return {
    ...grants,
    async save(grant) {
      await grants.save({ ...grant, server: await access.grantNameOf(grant) });
    },
  };
}

export interface ObservableGrants extends Grants {
  /** Listeners are awaited before `save` resolves. Returns a function that removes the listener. */
  onSaved(listener: () => Promise<void>): () => void;
}

export function observableGrants(grants: Grants, emit: (event: EngineEvent) => void): ObservableGrants {
  const listeners = new Set<() => Promise<void>>();
  return {
    ...grants,
    async save(grant) {
      await grants.save(grant);
      emit({ type: "grants-changed" });
      await Promise.all(Array.from(listeners, (listener) => listener()));
    },
    onSaved(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
