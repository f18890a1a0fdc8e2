import type { RotatingVault, SecretRecords } from "@tacklebox/storage/vault/node";
import type { CommandEnvironment } from "./io.ts";

export async function openVault(
  dataFolder: string,
  records: SecretRecords,
  env: CommandEnvironment["env"],
): Promise<RotatingVault> {
  const { openNodeVault } = await import("@tacklebox/storage/vault/node");
  return openNodeVault({ dataFolder, records, env, now: Date.now });
}
