import { type Collection, collectDrafts } from "../importers/collect-drafts.ts";
import { IMPORTERS } from "../importers/importers.ts";
import { holdBackForeign } from "../importers/own-places.ts";
import { unsetVariables } from "../importers/take-over.ts";
import type { CommandEnvironment } from "../io.ts";

/** The names of all programs that are looked at, for people. */
export const PROGRAMS = `${IMPORTERS.slice(0, -1)
  .map(({ title }) => title)
  .join(", ")} and ${IMPORTERS.at(-1)?.title}`;

/** The servers that other programs of this person have, and those that they would find in the current folder. */
export async function findDrafts(environment: CommandEnvironment): Promise<Collection> {
  const files = IMPORTERS.flatMap((importer) =>
    importer.places(environment).map((file) => ({ file, program: importer.program })),
  );
  const collection = await collectDrafts(files);
  const drafts = holdBackForeign(collection.drafts, IMPORTERS, environment).map((draft) => {
    const unset = unsetVariables(draft.shown, environment.env);
    return unset.length === 0 ? draft : { heldBack: `it reads ${unset.join(", ")}, which is not set here`, ...draft };
  });
  return { ...collection, drafts };
}
