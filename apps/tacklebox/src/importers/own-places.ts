import type { CommandEnvironment } from "../io.ts";
import type { CollectedDraft } from "./collect-drafts.ts";
import type { Importer } from "./importer.ts";

const FOREIGN = "it comes from the current folder, not from your own settings";

/**
 * Holds back what the current folder adds to a person's own settings: naming a program means those settings, and the
 * folder may be somebody's repository.
 */
export function holdBackForeign(
  drafts: readonly CollectedDraft[],
  importers: readonly Importer[],
  environment: CommandEnvironment,
): readonly CollectedDraft[] {
  const own = importers.flatMap((importer) => importer.places({ ...environment, cwd: environment.home }));
  return drafts.map((draft) => (own.includes(draft.file) ? draft : { heldBack: FOREIGN, ...draft }));
}
