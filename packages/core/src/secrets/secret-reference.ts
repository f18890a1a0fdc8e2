import type { HttpTarget, Launch } from "../domain/server.ts";

const REFERENCE = /\$\{secret:([^}]*)\}/g;

export function holdsReference(text: string): boolean {
  return /\$\{secret:[^}]*\}/.test(text);
}

/** The names a launch refers to, each once. */
export function secretNamesIn(launch: Launch): string[] {
  const names = new Set<string>();
  mapTexts(launch, (text) => {
    for (const [, name] of text.matchAll(REFERENCE)) if (name !== undefined) names.add(name);
    return text;
  });
  return [...names];
}

/** The launch with values in place of references. In a URL they are encoded: a value must not become structure. */
export function fillSecretNames(launch: Launch, values: ReadonlyMap<string, string>): Launch {
  const fill = (text: string, encode: (value: string) => string) =>
    text.replace(REFERENCE, (reference, name: string) => {
      const value = values.get(name);
      return value === undefined ? reference : encode(value);
    });
  return mapTexts(launch, (text, place) => fill(text, place === "url" ? encodeURIComponent : (value) => value));
}

type Place = "url" | "text";

/** Every text of a launch that may carry a credential. */
function mapTexts(launch: Launch, change: (text: string, place: Place) => string): Launch {
  if (launch.transport === "local") return launch;
  if (launch.transport === "stdio") {
    return { ...launch, args: launch.args.map((text) => change(text, "text")), env: mapValues(launch.env, change) };
  }
  if (launch.transport === "custom") return { ...launch, tools: launch.tools.map((tool) => mapTarget(tool, change)) };
  return mapTarget(launch, change);
}

function mapTarget<T extends HttpTarget>(target: T, change: (text: string, place: Place) => string): T {
  return {
    ...target,
    url: change(target.url, "url"),
    headers: mapValues(target.headers, change),
    authentication: mapValues(target.authentication, change),
  };
}

function mapValues<T extends object>(record: T, change: (text: string, place: Place) => string): T {
  const changed = Object.entries(record).map(([key, value]) => [
    key,
    typeof value === "string" ? change(value, "text") : value,
  ]);
  return Object.fromEntries(changed) as T;
}
