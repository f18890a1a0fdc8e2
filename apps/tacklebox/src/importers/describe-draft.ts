import type { ImportedSecret } from "@tacklebox/core";
import type { ImportedServerJson } from "../output/json/config-json.ts";
import { printableLine } from "../output/printable.ts";

export interface DescribedServer extends ImportedServerJson {
  readonly hints: ReadonlyMap<string, string>;
  /** Why it stays disabled although --enable was given. */
  readonly heldBack: string | undefined;
  readonly cause: string | undefined;
}

/** Everything a person needs to judge a server, and what became of it. */
export function describeServer(server: DescribedServer): string {
  return `${describeLaunch(server)}  ${printableLine(describeResult(server))}\n`;
}

type ShownServer = Omit<DescribedServer, "result" | "enabled" | "heldBack" | "cause">;

/** Everything a person needs to judge a server: every argument on its own line, nothing shortened (T04). */
export function describeLaunch(server: ShownServer, stored = "in the vault"): string {
  const { name, from, command, url, cwd, env, reads, secrets, hints } = server;
  const lines = [
    printableLine(`${name}  (from ${from})`),
    ...section("command", command ?? []),
    ...section("url", url === undefined ? [] : [url]),
    ...section("folder", cwd === undefined ? [] : [cwd]),
    ...section("env", env),
    ...section(
      "reads",
      reads.map((variable) => `${variable} of your environment`),
    ),
    ...section(
      "secrets",
      secrets.map((secret) => describeSecret(secret, hints.get(secret.name), stored)),
    ),
  ];
  return `${lines.join("\n")}\n`;
}

export function hintsOf(secrets: readonly ImportedSecret[]): ReadonlyMap<string, string> {
  return new Map(secrets.flatMap(({ name, hint }) => (hint === undefined ? [] : [[name, hint] as const])));
}

function section(label: string, values: readonly string[]): string[] {
  return values.map((value, index) => `  ${(index === 0 ? label : "").padEnd(9)}${printableLine(value)}`);
}

function describeSecret(
  { name, where, stored }: ImportedServerJson["secrets"][number],
  hint: string | undefined,
  inVault: string,
): string {
  if (stored) return `${name} (${where}), ${inVault}`;
  return `${name}${hint === undefined ? "" : ` (${hint})`}, set it with: tacklebox secret set ${name}`;
}

export function describeResult({ result, enabled, heldBack, cause }: DescribedServer): string {
  if (result === "unchanged") return "= already there, unchanged";
  if (result === "conflict") return "! skipped: the config has another server of this name";
  if (result === "unsupported") return `! skipped: ${cause ?? "this file cannot hold it"}`;
  if (enabled) return "+ added, enabled";
  return heldBack === undefined ? "+ added, disabled" : `+ added, disabled: ${heldBack}`;
}
