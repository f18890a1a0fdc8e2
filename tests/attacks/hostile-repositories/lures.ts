import { existsSync } from "node:fs";
import { cp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { runProgram } from "../../support/program.ts";
import { releaseAfterwards } from "../../support/release.ts";
import { temporaryFolder } from "../../support/workspace.ts";

/** What a hostile repository is after: a file its command makes, and an address that takes what it is sent. */
export interface Lures {
  /** Made by the command of the repository, if that ever runs. */
  readonly started: string;
  /** On this machine, for plain HTTP. */
  readonly url: string;
  /** The environment of a person with something to lose. The data folder is this run's own. */
  env(): Promise<Record<string, string>>;
  /** What the repository got since the last time. */
  caught(): Promise<readonly string[]>;
}

/** Parts of a secret of the vault and of a variable. Neither may be printed or sent. */
export const VAULT_CANARY = "canary-of-the-vault-7f31";
export const VARIABLE_CANARY = "canary-of-the-environment-91c4";
/** The names by which hostile files ask for them. */
export const SECRET_NAME = "github.token";
export const VARIABLE_NAME = "AWS_SECRET_ACCESS_KEY";

const KEY = "mU0zqvBk3l2Q8d1m0nJkq7oY5cWb9pXeR4tGhVfZsLA=";

/** Sets the lures, and fills a vault to be robbed. */
export async function setLures(): Promise<Lures> {
  const folder = await temporaryFolder();
  const started = join(folder, "started");
  const vault = join(folder, "vault");
  const common = { TACKLEBOX_VAULT_KEY: KEY, [VARIABLE_NAME]: VARIABLE_CANARY, OLLAMA_HOST: "127.0.0.1:9" };
  const stored = await runProgram(["secret", "set", SECRET_NAME], {
    env: { ...common, TACKLEBOX_DATA: vault },
    stdin: VAULT_CANARY,
  });
  if (stored.code !== 0) throw new Error(stored.stderr);

  let connections = 0;
  const listener = createServer((socket) => {
    connections += 1;
    socket.on("error", () => undefined).destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  releaseAfterwards(() => new Promise((resolve) => void listener.close(() => resolve())));
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return {
    started,
    url: `http://127.0.0.1:${address.port}`,
    async env() {
      const data = join(await temporaryFolder(), "data");
      await cp(vault, data, { recursive: true });
      return { ...common, TACKLEBOX_DATA: data };
    },
    async caught() {
      const ran = existsSync(started) ? ["its command ran"] : [];
      const called = connections > 0 ? [`its address was called ${connections} times`] : [];
      await rm(started, { force: true });
      connections = 0;
      return [...ran, ...called];
    },
  };
}
