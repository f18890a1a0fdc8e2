import type { Advice } from "./advice.ts";
import type { Clock } from "./clock.ts";
import type { Connector } from "./connector.ts";
import type { Hasher } from "./hasher.ts";
import type { KnownSecrets } from "./known-secrets.ts";
import type { LoadWordVectors } from "./load-word-vectors.ts";
import type { Logger } from "./logger.ts";
import type { Metrics } from "./metrics.ts";
import type { Models } from "./model.ts";
import type { Shares } from "./shares.ts";
import type { Store } from "./store.ts";
import type { Validator } from "./validator.ts";
import type { Vault } from "./vault.ts";

/** Everything the engine needs from the outside. */
export interface Ports {
  readonly connectors: readonly Connector[];
  readonly store: Store;
  /** If absent, there are no models, and runs end at once saying so. */
  readonly models?: Models;
  readonly validator: Validator;
  readonly hasher: Hasher;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly knownSecrets: KnownSecrets;
  /** If absent, `${secret:NAME}` cannot be filled in, and servers that use it cannot connect. */
  readonly vault?: Vault;
  /** If absent, limits apply to this process alone. */
  readonly shares?: Shares;
  /** True if some door shows servers' questions to people. Otherwise servers are told that they cannot ask. */
  readonly answersQuestions?: boolean;
  /** If absent, tools are searched by words alone. */
  readonly loadWordVectors?: LoadWordVectors;
  /** If absent, messages name no commands. */
  readonly advice?: Advice;
  /** Set where some transports are impossible, so that messages say so instead of suggesting a mistake. */
  readonly place?: "browser";
  readonly newId: () => string;
}
