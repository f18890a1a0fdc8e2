import { createRedactor, type Launch, type ServerDefinition, secretsOf } from "@tacklebox/core";

/** Shorter values are words that stand in texts for other reasons. */
const MIN_SECRET_LENGTH = 6;
const MAX_TEXT_LENGTH = 2048;

/** Makes server text fit to show: secrets and whatever else was handed to the server are struck out, the rest is cut. */
export type RedactServerText = (text: string) => string;

export function createServerTextRedactor(definition: ServerDefinition): RedactServerText {
  const redactOnly = createUncutRedactor(definition);
  return (text) => {
    // Struck out before cutting: a cut secret would not be found any more, here or later.
    const clean = redactOnly(text);
    return clean.length > MAX_TEXT_LENGTH ? `${clean.slice(0, MAX_TEXT_LENGTH)}…` : clean;
  };
}

/** For texts that are cut by whoever shows them. */
export function createUncutRedactor(definition: ServerDefinition): RedactServerText {
  const handedOver = handedValues(definition.launch).filter((value) => value.length >= MIN_SECRET_LENGTH);
  return createRedactor([...secretsOf(definition), ...handedOver]);
}

/** Values that need not be secret by name; a server that prints them says nothing of use to a reader. */
function handedValues(launch: Launch): string[] {
  if (launch.transport === "local") return [];
  if (launch.transport === "custom") return launch.tools.flatMap(({ headers }) => Object.values(headers));
  return Object.values(launch.transport === "stdio" ? launch.env : launch.headers);
}
