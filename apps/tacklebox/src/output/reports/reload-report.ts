import type { ConfigReload } from "../../engine/config-reloads.ts";
import { printableText } from "../printable.ts";

/** Tells whoever asked for a reload what came of it. */
export function describeReload(reload: ConfigReload): string {
  if (reload.kind === "no-file") return "There is no config file to reload: none was found when this started.";
  if (reload.kind === "refused") return printableText(reload.messages.join("\n"));
  const { file, changes, problems } = reload;
  const what = changes.length === 0 ? `Nothing changed in ${file}.` : describeChanges(changes, `Reloaded ${file}`);
  return [what, ...problems.map(printableText)].join("\n");
}

/** Lists what a reload changed, on one line or in a list, after a title if there is one. */
export function describeChanges(changes: readonly string[], title?: string): string {
  const lines = changes.map((change) => change.replace(/^Configuration: /, ""));
  if (lines.length === 1) return printableText([...(title === undefined ? [] : [title]), ...lines].join(": "));
  return printableText([...(title === undefined ? [] : [`${title}:`]), ...lines.map((line) => `- ${line}`)].join("\n"));
}
