import { quoteForShell } from "../quote-for-shell.ts";

/** A file of the current folder that nobody agreed to. Nothing of it was used. */
export interface Unagreed {
  readonly kind: "unagreed";
  readonly file: string;
  /** Why it does not count. */
  readonly cause: string;
  /** The cause, and every way on. */
  readonly messages: readonly string[];
}

/** `declined`: the person was asked just now and did not say yes. */
type WhyUnagreed = "new" | "changed" | "denied" | "declined";

const CAUSES: Readonly<Record<WhyUnagreed, string>> = {
  new: "This config file was found in the current folder, and you have not agreed to it.",
  changed: "This config file of the current folder has changed since you agreed to it.",
  denied: "You denied this config file of the current folder with `tacklebox deny`.",
  declined: "You did not agree to this config file of the current folder.",
};

export function unagreed(file: string, why: WhyUnagreed, detail?: string): Unagreed {
  const cause = `${file}\n${CAUSES[why]} It could start programs and read your secrets, so nothing of it was used.${detail === undefined ? "" : `\n${detail}`}`;
  const ways = `To see what it asks for and agree to it: ${allowCommand(file)}
To go on without it: run this in another folder, or name another file with --config FILE.`;
  return { kind: "unagreed", file, cause, messages: [`${cause}\n${ways}`] };
}

/** For a file that nobody can be asked about, because what it asks for cannot be shown. */
export function cannotBeShown(file: string, problems: readonly string[]): Unagreed {
  const cause = `${file}\nThis config file was found in the current folder and cannot be read, so nothing of it was used.`;
  return { kind: "unagreed", file, cause, messages: [cause, ...problems] };
}

export function allowCommand(file: string): string {
  return `tacklebox allow ${quoteForShell(file)}`;
}

/** For a file that uses more than its agreement says, which only a record of another version of Tacklebox can cause. */
export function describeUnshown(file: string, secrets: readonly string[]): string {
  return `${file}\nThis config file uses secrets that you were not shown when you agreed to it: ${secrets.join(", ")}. To agree to it again: tacklebox deny, then ${allowCommand(file)}`;
}

/** A warning about overrides that a file of the current folder is not given. */
export function describeIgnored(file: string, variables: readonly string[]): string {
  return `${file}\nNot applied to a config file found in the current folder: ${variables.join(", ")}. Name the file to apply them: --config ${quoteForShell(file)}`;
}
