import type { Clock } from "../ports/clock.ts";
import type { Connector } from "../ports/connector.ts";
import type { Ports } from "../ports/ports.ts";
import { createKnownSecrets } from "../secrets/known-secrets.ts";
import { createManualClock } from "./manual-clock.ts";
import { createMemoryStore } from "./memory/memory-store.ts";
import { createRecordingLogger } from "./recording-logger.ts";
import { createScriptedConnector } from "./scripted-connector.ts";
import { createScriptedShares } from "./scripted-shares.ts";

/** Which uses of the ports throw: given a method such as `store.calls.save` and how often it was used before. */
export type Fault = (method: string, before: number) => boolean;

/**
 * Ports that a test can make throw at any use, each as the code that fills it might. Their time is the manual clock's,
 * unless another clock is given.
 */
export function createFaultyPorts(givenClock?: Clock) {
  const connector = createScriptedConnector();
  const store = createMemoryStore();
  const logger = createRecordingLogger();
  const knownSecrets = createKnownSecrets();
  const shares = createScriptedShares();
  const clock = createManualClock();
  const used: string[] = [];
  let fault: Fault | undefined;

  function use(method: string): void {
    if (fault === undefined) return;
    const before = used.filter((earlier) => earlier === method).length;
    used.push(method);
    if (fault(method, before)) throw new Error(`${method} is broken`);
  }

  /** The same port, with every method made to throw when the fault says so. */
  function watch<T extends object>(name: string, port: T): T {
    return new Proxy(port, {
      get(target, key) {
        const member: unknown = Reflect.get(target, key);
        if (typeof member !== "function") return member;
        return (...args: unknown[]) => {
          use(`${name}.${String(key)}`);
          return Reflect.apply(member, target, args);
        };
      },
    });
  }

  const watchedConnector: Connector = {
    transports: connector.transports,
    open: async (...args) => watch("connection", await connector.open(...args)),
  };
  const ports: Partial<Ports> = {
    connectors: [watchedConnector],
    store: { ...store, calls: watch("store.calls", store.calls), grants: watch("store.grants", store.grants) },
    clock: watch("clock", givenClock ?? clock),
    logger: watch("logger", logger),
    metrics: watch("metrics", { toolUsed: () => undefined, callEnded: () => undefined }),
    hasher: watch("hasher", { sha256: async (text: string) => String(text.length) }),
    validator: watch("validator", { check: () => [] }),
    shares: { slots: watch("shares.slots", shares.slots), rates: watch("shares.rates", shares.rates) },
    knownSecrets: {
      ...knownSecrets,
      redact: (text) => {
        use("redact");
        return knownSecrets.redact(text);
      },
    },
  };
  return {
    ports,
    connector,
    clock,
    store,
    logger,
    used,
    /** From now on these uses throw. */
    arm(next: Fault) {
      used.length = 0;
      fault = next;
    },
    disarm() {
      fault = undefined;
    },
  };
}
