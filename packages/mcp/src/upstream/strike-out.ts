import { createRedactor, type Launch, type ServerDefinition, secretsOf } from "@tacklebox/core";

/** Shorter values are words that stand in texts for other reasons. */
const MIN_SECRET_LENGTH = 6;
const MAX_TEXT_LENGTH = 2048;

/** Makes server text fit to show: secrets and whatever else was handed to the server are struck out, the rest is cut. */
export type StrikeOut = (text: string) => string;

export function createStrikeOut(definition: ServerDefinition): StrikeOut {
  const handedOver = handedValues(definition.launch).filter((value) => value.length >= MIN_SECRET_LENGTH);
  const redact = createRedactor([...secretsOf(definition), ...handedOver]);
  return (text) => {
    // Struck out before cutting: a cut secret would not be found any more, here or later.
    const clean = redact(text);
    return clean.length > MAX_TEXT_LENGTH ? `${clean.slice(0, MAX_TEXT_LENGTH)}…` : clean;
  };
}

/** Values that need not be secret by name; a server that prints them says nothing of use to a reader. */
function handedValues(launch: Launch): string[] {
  if (launch.transport === "local") return [];
  return Object.values(launch.transport === "stdio" ? launch.env : launch.headers);
}
