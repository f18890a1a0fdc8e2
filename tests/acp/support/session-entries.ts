import { fixturePath } from "../../support/servers.ts";

/** A server as an editor sends it: a Node program over stdio. */
export function stdio(
  name: string,
  path: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
) {
  return {
    name,
    command: process.execPath,
    args: [path, ...args],
    env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
  };
}

export function probe(name: string, env: Readonly<Record<string, string>> = {}) {
  return stdio(name, fixturePath("probe"), [], env);
}
