import type { ImportedSecret } from "@tacklebox/core";
import type { ImportedServerJson } from "../output/json/config-json.ts";
import { printableLine } from "../output/printable.ts";

export interface DescribedServer extends ImportedServerJson {
  readonly hints: ReadonlyMap<string, string>;
  /** Why it was left switched off although --enable was given. */
  readonly heldBack: string | undefined;
  readonly cause: string | undefined;
}

/** Shows everything a person needs to judge a server: every argument on its own line, nothing shortened (T04). */
export function describeServer(server: DescribedServer): string {
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
      secrets.map((secret) => describeSecret(secret, hints.get(secret.name))),
    ),
    `  ${printableLine(describeResult(server))}`,
  ];
  return `${lines.join("\n")}\n`;
}

export function hintsOf(secrets: readonly ImportedSecret[]): ReadonlyMap<string, string> {
  return new Map(secrets.flatMap(({ name, hint }) => (hint === undefined ? [] : [[name, hint] as const])));
}

function section(label: string, values: readonly string[]): string[] {
  return values.map((value, index) => `  ${(index === 0 ? label : "").padEnd(9)}${printableLine(value)}`);
}

function describeSecret({ name, where, stored }: ImportedServerJson["secrets"][number], hint: string | undefined) {
  if (stored) return `${name} (${where}), in the vault`;
  return `${name}${hint === undefined ? "" : ` (${hint})`}, to be set: tacklebox secret set ${name}`;
}

function describeResult({ result, enabled, heldBack, cause }: DescribedServer): string {
  if (result === "unchanged") return "= already there, unchanged";
  if (result === "conflict") return "! left alone: the file has another server of this name";
  if (result === "unsupported") return `! left out: ${cause ?? "this file cannot hold it"}`;
  if (enabled) return "+ added, switched on";
  return heldBack === undefined ? "+ added, switched off" : `+ added, switched off: ${heldBack}`;
}
