import type { ServerDefinition } from "../domain/server.ts";
import type { KnownSecrets } from "../ports/known-secrets.ts";
import { type CredentialPlace, secretsAtPlaces } from "./find-secrets.ts";

/** Makes the secrets of the operator's own servers known, with the place to look for each. */
export function addServerSecrets(
  knownSecrets: Pick<KnownSecrets, "add">,
  { name, launch }: Pick<ServerDefinition, "name" | "launch">,
): void {
  for (const { value, place } of secretsAtPlaces(launch))
    knownSecrets.add([value], `${textOfPlace(place)} of server '${name}'`);
}

/** What people call the place of a credential. */
export function textOfPlace(place: CredentialPlace, urlField = "url"): string {
  if (place.field === "url") return urlField;
  if (place.field === "args") return `argument ${place.member + 1}`;
  if (place.field === "headers") return `header ${place.member}`;
  return "member" in place ? `${place.field} ${place.member}` : place.field;
}
