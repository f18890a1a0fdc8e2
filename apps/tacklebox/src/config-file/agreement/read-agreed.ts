import { isOverride } from "@tacklebox/core";
import type { CommandEnvironment } from "../../io.ts";
import { withoutVaultKeys } from "../../vault-variables.ts";
import type { FoundFile } from "../find-config.ts";
import { type ReadBytes, readConfigBytes, type Unreadable } from "../read-bytes.ts";
import { decodeConfig } from "../read-text.ts";
import { describeForeignWriters, readOwnIds } from "../who-may-write.ts";
import type { Allowed } from "./record.ts";
import { describeIgnored, type Unagreed } from "./refusals.ts";
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
      : toText(file, read, { env: withoutVaultKeys(environment.env), secrets: undefined }, []);
  }
  const agreed = await requireAgreement(file, environment, ask);
  if (agreed.kind !== "allowed") return agreed;
  const { env, ignored } = releaseVariables(environment.env, agreed.record);
  const { secrets } = agreed.record.demands;
  return toText(file, agreed.read, { env, secrets }, ignored.length === 0 ? [] : [describeIgnored(file, ignored)]);
}

/**
 * Gives the file the variables that were shown and agreed to, and no others. Overrides are the operator's word about
 * files the operator chose: with one of them, a file from elsewhere could be given a credential meant for another.
 */
function releaseVariables(
  env: CommandEnvironment["env"],
  { demands }: Allowed,
): { readonly env: CommandEnvironment["env"]; readonly ignored: readonly string[] } {
  const shown = new Set(demands.variables);
  const released = Object.entries(withoutVaultKeys(env)).filter(([name]) => shown.has(name) && !isOverride(name));
  return { env: Object.fromEntries(released), ignored: Object.keys(env).filter(isOverride) };
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
