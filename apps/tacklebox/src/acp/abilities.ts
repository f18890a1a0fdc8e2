import { isObject } from "./is-object.ts";

/** What the client said it can do, as far as we make use of it. What cannot be read counts as absent. */
export interface Abilities {
  readonly notices: boolean;
  readonly forms: boolean;
  readonly urls: boolean;
}

/** The program at the other side of this door, as it introduced itself. */
export interface Client {
  /** Absent when it does not say one. Untrusted text. */
  readonly name?: string;
  readonly abilities: Abilities;
}

export const UNKNOWN_CLIENT: Client = { abilities: { notices: false, forms: false, urls: false } };

export function toClient(clientInfo: unknown, clientCapabilities: unknown): Client {
  const { title, name } = isObject(clientInfo) ? clientInfo : {};
  const said = [title, name].find((text) => typeof text === "string" && text !== "");
  return { ...(typeof said === "string" && { name: said }), abilities: toAbilities(clientCapabilities) };
}

export function toAbilities(clientCapabilities: unknown): Abilities {
  const { session, elicitation } = isObject(clientCapabilities) ? clientCapabilities : {};
  return {
    notices: isObject(session) && isObject(session.notices),
    forms: isObject(elicitation) && isObject(elicitation.form),
    urls: isObject(elicitation) && isObject(elicitation.url),
  };
}
