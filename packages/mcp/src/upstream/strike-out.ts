import type { Launch } from "@tacklebox/core";

/** Shorter values are words that stand in texts for other reasons. */
const MIN_SECRET_LENGTH = 6;
const MAX_TEXT_LENGTH = 2048;

/** Makes server text fit to show: the launch's own values are struck out and the rest is cut. */
export type StrikeOut = (text: string) => string;

export function createStrikeOut(launch: Launch): StrikeOut {
  const secrets = launchValues(launch)
    .filter((value) => value.length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length);
  return (text) => {
    // Struck out before cutting: a cut secret would no longer be found.
    let clean = text.length > 8 * MAX_TEXT_LENGTH ? text.slice(0, 8 * MAX_TEXT_LENGTH) : text;
    for (const secret of secrets) clean = clean.replaceAll(secret, "***");
    return clean.length > MAX_TEXT_LENGTH ? `${clean.slice(0, MAX_TEXT_LENGTH)}…` : clean;
  };
}

function launchValues(launch: Launch): string[] {
  if (launch.transport === "local") return [];
  if (launch.transport === "stdio") return Object.values(launch.env);
  const { authentication } = launch;
  const values = Object.values(launch.headers);
  if (authentication.type === "bearer") values.push(authentication.token);
  if (authentication.type === "api-key") values.push(authentication.key);
  if (authentication.type === "basic") values.push(authentication.password);
  return values;
}
