import { isObject } from "./rpc/is-object.ts";

/** The client's capabilities that we use. A capability that cannot be parsed counts as absent. */
export interface Abilities {
  readonly notices: boolean;
  readonly forms: boolean;
  readonly urls: boolean;
}

/** The program at the other end of the connection, as it introduced itself. */
export interface Client {
  /** Absent when the client gave none. Untrusted text. */
  readonly name?: string;
  readonly abilities: Abilities;
}

export const UNKNOWN_CLIENT: Client = { abilities: { notices: false, forms: false, urls: false } };

export function toClient(clientInfo: unknown, clientCapabilities: unknown): Client {
  const { title, name } = isObject(clientInfo) ? clientInfo : {};
  const ownName = [title, name].find((text) => typeof text === "string" && text !== "");
  return { ...(typeof ownName === "string" && { name: ownName }), abilities: toAbilities(clientCapabilities) };
}

export function toAbilities(clientCapabilities: unknown): Abilities {
  const { session, elicitation } = isObject(clientCapabilities) ? clientCapabilities : {};
  return {
    notices: isObject(session) && isObject(session.notices),
    forms: isObject(elicitation) && isObject(elicitation.form),
    urls: isObject(elicitation) && isObject(elicitation.url),
  };
}
