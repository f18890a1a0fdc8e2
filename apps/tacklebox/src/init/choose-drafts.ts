import { askChoice } from "../asking/ask-choice.ts";
import type { CollectedDraft } from "../importers/collect-drafts.ts";
import { describeLaunch, hintsOf } from "../importers/describe-draft.ts";
import type { Io } from "../io.ts";

export interface ChosenDrafts {
  readonly drafts: readonly CollectedDraft[];
  readonly enable: boolean;
}

/** Shows each server whole and asks whether to import it. Undefined if the person stopped. */
export async function chooseDrafts(io: Io, drafts: readonly CollectedDraft[]): Promise<ChosenDrafts | undefined> {
  const chosen: CollectedDraft[] = [];
  let isAll = false;
  const servers = drafts.length === 1 ? "1 server" : `${drafts.length} servers`;
  await io.stderr.write(`Found ${servers} in your other programs. Nothing is started while you choose.\n`);
  for (const draft of drafts) {
    const { name, file, shown, secrets } = draft;
    const stored = secrets.map((secret) => ({ ...secret, stored: secret.value !== undefined }));
    await io.stderr.write(
      `\n${describeLaunch({ name, from: file, ...shown, secrets: stored, hints: hintsOf(secrets) }, "goes into the vault")}`,
    );
    if (!isAll) {
      const answer = await askChoice(io, IMPORT, ["y", "n", "a", "s"], "n");
      if (answer === undefined) return undefined;
      if (answer === "s") break;
      if (answer === "n") continue;
      isAll = answer === "a";
    }
    chosen.push(draft);
  }
  if (chosen.every(({ heldBack }) => heldBack !== undefined)) return { drafts: chosen, enable: false };
  const enable = await askChoice(io, ENABLE, ["y", "n"], "n");
  return enable === undefined ? undefined : { drafts: chosen, enable: enable === "y" };
}

const IMPORT = "Import it? (y)es, (n)o, (a)ll from here on, (s)kip the rest [n]: ";
const ENABLE = `
If you enable them, Tacklebox starts their programs with your permissions.
Enable what you imported? (y)es, (n)o [n]: `;
