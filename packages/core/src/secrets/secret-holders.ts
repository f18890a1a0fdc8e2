import { credentialPlaces, type Launch } from "../domain/launch.ts";
import type { ServerDefinition } from "../domain/server.ts";
import type { KnownSecrets } from "../ports/known-secrets.ts";
import { type CredentialPlace, secretsAtPlaces } from "./find-secrets.ts";

/**
 * Makes the secrets of one of the operator's own servers known, with the place to look for each. `filledIn` are values of
 * the environment that may stand in it under any name.
 */
export function addServerSecrets(
  knownSecrets: Pick<KnownSecrets, "add">,
  { name, launch }: Pick<ServerDefinition, "name" | "launch">,
  filledIn: readonly string[] = [],
): void {
  for (const { value, place } of [...secretsAtPlaces(launch), ...filledInAt(launch, filledIn)])
    knownSecrets.add([value], `${textOfPlace(place)} of server '${name}'`);
}

function filledInAt(launch: Launch, filledIn: readonly string[]) {
  const { env, args } = credentialPlaces(launch);
  const texts: readonly { readonly text: string; readonly place: CredentialPlace }[] = [
    ...env.flatMap((map) =>
      Object.entries(map).map(([member, text]) => ({ text, place: { field: "env", member } as const })),
    ),
    ...args.flatMap((list) => list.map((text, member) => ({ text, place: { field: "args", member } as const }))),
  ];
  return filledIn.flatMap((value) =>
    texts.filter(({ text }) => text.includes(value)).map(({ place }) => ({ value, place })),
  );
}

/** What people call the place of a credential. */
export function textOfPlace(place: CredentialPlace, urlField = "url"): string {
  if (place.field === "url") return urlField;
  if (place.field === "args") return `argument ${place.member + 1}`;
  if (place.field === "headers") return `header ${place.member}`;
  return "member" in place ? `${place.field} ${place.member}` : place.field;
}
