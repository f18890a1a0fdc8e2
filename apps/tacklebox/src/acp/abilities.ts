import { isObject } from "./is-object.ts";

/** What the client said it can do, as far as we make use of it. What cannot be read counts as absent. */
export interface Abilities {
  readonly notices: boolean;
  readonly forms: boolean;
  readonly urls: boolean;
}

export const NO_ABILITIES: Abilities = { notices: false, forms: false, urls: false };

export function toAbilities(clientCapabilities: unknown): Abilities {
  const { session, elicitation } = isObject(clientCapabilities) ? clientCapabilities : {};
  return {
    notices: isObject(session) && isObject(session.notices),
    forms: isObject(elicitation) && isObject(elicitation.form),
    urls: isObject(elicitation) && isObject(elicitation.url),
  };
}
