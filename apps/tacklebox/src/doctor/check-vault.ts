import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Engine } from "@tacklebox/core";
import type { CommandEnvironment } from "../io.ts";
import type { DoctorFinding } from "./finding.ts";

/** Checks that stored secrets can be read. Without any it leaves the keychain alone, which might ask a person. */
export async function checkVault(
  { secrets }: Engine,
  folder: string,
  env: CommandEnvironment["env"],
): Promise<readonly DoctorFinding[]> {
  const stored = await secrets.list();
  if (stored.length === 0) {
    const place = env.TACKLEBOX_VAULT_KEY
      ? "in TACKLEBOX_VAULT_KEY"
      : `kept in this system's keychain, or in ${keyFileIn(folder)} where there is none`;
    return [{ about: "vault", verdict: "ok", text: `No secrets are stored. Their key would be ${place}.` }];
  }
  const problems: DoctorFinding[] = [];
  for (const { name } of stored) {
    const checked = await secrets.check(name);
    if (checked.kind === "ok") continue;
    const next = `If its key is lost, store it again: tacklebox secret set ${name}`;
    problems.push({ about: "vault", name, verdict: "problem", text: checked.failure.message, next });
  }
  if (problems.length > 0) return problems;
  const count = stored.length === 1 ? "1 secret" : `${stored.length} secrets`;
  return [{ about: "vault", verdict: "ok", text: `${count} can be read; the key is in ${placeOfKey(folder, env)}` }];
}

function placeOfKey(folder: string, env: CommandEnvironment["env"]): string {
  if (env.TACKLEBOX_VAULT_KEY) return "TACKLEBOX_VAULT_KEY";
  const file = keyFileIn(folder);
  return existsSync(file) ? file : "this system's keychain";
}

function keyFileIn(folder: string): string {
  return join(folder, "vault.key");
}
