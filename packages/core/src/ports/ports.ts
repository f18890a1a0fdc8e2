import type { Clock } from "./clock.ts";
import type { Connector } from "./connector.ts";
import type { Hasher } from "./hasher.ts";
import type { KnownSecrets } from "./known-secrets.ts";
import type { LoadWordVectors } from "./load-word-vectors.ts";
import type { Logger } from "./logger.ts";
import type { Metrics } from "./metrics.ts";
import type { Models } from "./model.ts";
import type { Store } from "./store.ts";
import type { Validator } from "./validator.ts";
import type { Vault } from "./vault.ts";

/** Everything the engine needs from the outside. */
export interface Ports {
  readonly connectors: readonly Connector[];
  readonly store: Store;
  /** Absent: no model can be asked, and runs end at once saying so. */
  readonly models?: Models;
  readonly validator: Validator;
  readonly hasher: Hasher;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly knownSecrets: KnownSecrets;
  /** Absent: `${secret:NAME}` cannot be filled here, and servers that use it cannot connect. */
  readonly vault?: Vault;
  /** Some door of this engine shows people what servers ask. Absent: servers are told that nobody can be asked. */
  readonly answersQuestions?: boolean;
  /** Absent: tools are searched by words alone. */
  readonly loadWordVectors?: LoadWordVectors;
  /** Set where some transports cannot exist at all, so that messages say so instead of suggesting a mistake (S1.22). */
  readonly place?: "browser";
  readonly newId: () => string;
  /** Names this process in the call log, so that recovery can tell whether it still lives. */
  readonly owner: string;
}
