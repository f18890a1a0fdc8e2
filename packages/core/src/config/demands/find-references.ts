import type { EngineConfig } from "../../engine-host.ts";
import { isMap } from "../document/check-shape.ts";
import { referencesIn } from "../fill-variables.ts";
import type { ConfigDemands } from "./demand.ts";

export type References = Pick<ConfigDemands, "variables" | "secrets">;

/** Finds the variables and secrets that a value names anywhere. Undefined if its texts are longer than `longest`. */
export function findReferences(value: unknown, longest: number): References | undefined {
  const variables = new Set<string>();
  const secrets = new Set<string>();
  const waiting: unknown[] = [value];
  let length = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (isMap(next)) {
      for (const [key, member] of Object.entries(next)) {
        length += key.length;
        waiting.push(member ?? "");
      }
    }
    if (Array.isArray(next)) for (const item of next) waiting.push(item ?? "");
    if (typeof next !== "string") continue;
    length += next.length;
    if (length > longest) return undefined;
    for (const { kind, name } of referencesIn(next)) (kind === "secret" ? secrets : variables).add(name);
  }
  return { variables: [...variables].sort(), secrets: [...secrets].sort() };
}

/** The secrets that the servers and models of a config would be given. */
export function secretsIn({ servers, models }: Pick<EngineConfig, "servers" | "models">): readonly string[] {
  const users = [...servers.map(({ launch }) => launch), ...(models ?? [])];
  return findReferences(users, Number.POSITIVE_INFINITY)?.secrets ?? [];
}
