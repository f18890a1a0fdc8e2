import { factsOf, type HttpTarget, type Launch } from "../domain/launch.ts";

const REFERENCE = /\$\{secret:([^}]*)\}/g;

export function holdsReference(text: string): boolean {
  return /\$\{secret:[^}]*\}/.test(text);
}

/** Returns the names of secrets a launch refers to, each once. */
export function secretNamesIn(launch: Launch): string[] {
  const names: string[] = [];
  mapTexts(launch, (text) => {
    names.push(...namesIn(text));
    return text;
  });
  return [...new Set(names)];
}

/** Returns the names of secrets a text refers to, each once. */
export function namesIn(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(REFERENCE), ([, name = ""]) => name))];
}

/** Replaces references with values; a reference to a name without a value stays. */
export function replaceNames(
  text: string,
  values: ReadonlyMap<string, string>,
  encode: (value: string) => string = (value) => value,
): string {
  return text.replace(REFERENCE, (reference, name: string) => {
    const value = values.get(name);
    return value === undefined ? reference : encode(value);
  });
}

/**
 * Replaces a launch's references with values. In a URL they are encoded, so that a value cannot change its structure.
 */
export function fillSecretNames(launch: Launch, values: ReadonlyMap<string, string>): Launch {
  return mapTexts(launch, (text, place) =>
    place === "url" ? replaceNames(text, values, encodeURIComponent) : replaceNames(text, values),
  );
}

type Place = "url" | "text";

/** Applies `change` to every text of a launch that may hold a credential. */
function mapTexts(launch: Launch, change: (text: string, place: Place) => string): Launch {
  return factsOf(launch).mapCredentials(launch, {
    env: (variables) => mapValues(variables, change),
    args: (args) => args.map((text) => change(text, "text")),
    target: (target) => mapTarget(target, change),
  });
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
