import { ConnectionError } from "../../domain/connection.ts";
import type { Clock } from "../../ports/clock.ts";

/** The period for which a server asked to be left alone (429 or 503 with Retry-After). */
export interface Cooldown {
  begin(error: ConnectionError): void;
  /** The error for calls during that period; undefined once the server may be asked again. */
  refusal(): ConnectionError | undefined;
}

export function createCooldown(clock: Clock): Cooldown {
  let until = 0;
  let reason = "";
  return {
    begin({ retryAfterMs = 0, message }) {
      const end = clock.monotonic() + retryAfterMs;
      if (end <= until) return;
      until = end;
      reason = message;
    },
    refusal() {
      const leftMs = until - clock.monotonic();
      if (leftMs <= 0) return undefined;
      const at = new Date(clock.now() + leftMs).toISOString();
      const text = `it asked to be left alone until ${at} (${reason}); try again then`;
      return new ConnectionError("unreachable", text, { retryAfterMs: leftMs });
    },
  };
}
