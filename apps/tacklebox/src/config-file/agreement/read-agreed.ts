import type { CommandEnvironment } from "../../io.ts";
import { withoutVaultKeys } from "../../variables/vault-variables.ts";
import type { FoundFile } from "../find-config.ts";
import { type ReadBytes, readConfigBytes, type Unreadable } from "../read-bytes.ts";
import { decodeConfig } from "../read-text.ts";
import { describeForeignWriters, readOwnIds } from "../who-may-write.ts";
import { describeIgnored, type Unagreed } from "./refusals.ts";
import { releaseVariables } from "./release-variables.ts";
import { type AskToAgree, requireAgreement } from "./require-agreement.ts";

/** The text of a config file that may be used. */
export interface AgreedText {
  readonly kind: "ok";
  readonly text: string;
  readonly bytes: Uint8Array;
  /** The environment that the file is given. */
  readonly env: CommandEnvironment["env"];
  /** The secrets of the vault that the file may name; undefined if it may name any. */
  readonly secrets: readonly string[] | undefined;
  readonly warnings: readonly string[];
}

/** Reads a config file that may be used: one that the operator chose, or that a person agreed to. */
export async function readAgreed(
  { file, origin }: FoundFile,
  environment: CommandEnvironment,
  ask: AskToAgree,
): Promise<AgreedText | Unreadable | Unagreed> {
  if (origin === "operator") {
    const read = await readConfigBytes(file, "anything");
    return read.kind === "unreadable"
      ? read
      : toText(file, read, { env: withoutVaultKeys(environment), secrets: undefined }, []);
  }
  const agreed = await requireAgreement(file, environment, ask);
  if (agreed.kind !== "allowed") return agreed;
  const { variables, secrets } = agreed.record.demands;
  const { env, ignored } = releaseVariables(environment, variables);
  return toText(file, agreed.read, { env, secrets }, ignored.length === 0 ? [] : [describeIgnored(file, ignored)]);
}

function toText(
  file: string,
  { bytes, stats }: ReadBytes,
  released: Pick<AgreedText, "env" | "secrets">,
  warnings: readonly string[],
): AgreedText | Unreadable {
  const decoded = decodeConfig(file, bytes);
  if (decoded.kind === "unreadable") return decoded;
  const writers = describeForeignWriters(file, stats, readOwnIds());
  return { ...decoded, ...released, bytes, warnings: writers === undefined ? warnings : [...warnings, writers] };
}
