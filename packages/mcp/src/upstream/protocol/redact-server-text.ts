import { createRedactor, credentialPlaces, type Launch, type ServerDefinition, secretsOf } from "@tacklebox/core";

/** Shorter values are likely to be ordinary words that occur for other reasons. */
const MIN_SECRET_LENGTH = 6;
const MAX_TEXT_LENGTH = 2048;

/** Makes a server's text safe to show: redacts secrets and every other value we passed to the server. */
export type RedactServerText = (text: string) => string;

/** Also cuts the text to a length that can be shown. */
export function createServerTextRedactor(definition: ServerDefinition): RedactServerText {
  const redactOnly = createUncutRedactor(definition);
  return (text) => {
    // Redact before cutting: a secret cut in half would no longer be found.
    const clean = redactOnly(text);
    return clean.length > MAX_TEXT_LENGTH ? `${clean.slice(0, MAX_TEXT_LENGTH)}…` : clean;
  };
}

/** Does not cut the text, for callers that cut it themselves. */
export function createUncutRedactor(definition: ServerDefinition): RedactServerText {
  const passedValues = valuesPassedTo(definition.launch).filter((value) => value.length >= MIN_SECRET_LENGTH);
  return createRedactor([...secretsOf(definition), ...passedValues]);
}

/** Environment and header values, whether named as secrets or not: nothing useful is lost by redacting them. */
function valuesPassedTo(launch: Launch): string[] {
  const { env, targets } = credentialPlaces(launch);
  return [...env, ...targets.map(({ headers }) => headers)].flatMap((values) => Object.values(values));
}
