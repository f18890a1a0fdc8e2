import { existsSync } from "node:fs";
import { join } from "node:path";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * An environment in which the operator names the config file of a folder while it has one, so that it needs no
 * agreement.
 */
export function operatorEnv(folder: string, env: Env = {}): Env {
  const file = join(folder, "tacklebox.yaml");
  return {
    ...env,
    get TACKLEBOX_CONFIG() {
      return existsSync(file) ? file : undefined;
    },
  };
}
