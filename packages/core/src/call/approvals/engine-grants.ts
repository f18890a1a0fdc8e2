import type { EngineEvent } from "../../domain/events.ts";
import type { EngineGrants } from "../../engine.ts";
import type { Redactor } from "../../ports/known-secrets.ts";
import type { Grants } from "../../ports/store.ts";
import { redactJson } from "../../secrets/redact.ts";

export interface EngineGrantsDeps {
  readonly grants: Grants;
  readonly redact: Redactor;
  readonly emit: (event: EngineEvent) => void;
}

export function createEngineGrants({ grants, redact, emit }: EngineGrantsDeps): EngineGrants {
  return {
    list: async () => redactJson(redact, await grants.list()),
    async revoke(id) {
      const removed = await grants.remove(id);
      if (removed) emit({ type: "grants-changed" });
      return removed;
    },
  };
}
