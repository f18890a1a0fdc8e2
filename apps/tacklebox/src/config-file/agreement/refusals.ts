import { quoteForShell } from "../quote-for-shell.ts";

/** A file of the current folder that nobody agreed to. Nothing of it was used. */
export interface Unagreed {
  readonly kind: "unagreed";
  readonly file: string;
  /** Why it does not count. */
  readonly cause: string;
  /** The cause, and every way on. */
  readonly messages: readonly string[];
  /** The same for a program that has loaded the file before and goes on with that. */
  readonly atReload: string;
}

/**
 * `doubtful`: what was decided about it cannot be read or believed. `declined`: the person was asked just now and did
 * not say yes. `unrecorded`: the person did, but that could not be stored.
 */
type WhyUnagreed = "new" | "changed" | "denied" | "doubtful" | "declined" | "unrecorded";

const CAUSES: Readonly<Record<WhyUnagreed, string>> = {
  new: "This config file was found in the current folder, and you have not agreed to it.",
  changed: "This config file in the current folder has changed since you agreed to it.",
  denied: "You denied this config file in the current folder with `tacklebox deny`.",
  doubtful: "This config file was found in the current folder, and it is not certain that you agreed to it.",
  unrecorded: "This config file was found in the current folder, and your agreement could not be saved.",
  declined: "You did not agree to this config file in the current folder.",
};

export function unagreed(file: string, why: WhyUnagreed, detail?: string): Unagreed {
  const more = detail === undefined ? "" : `\n${detail}`;
  const cause = `${file}\n${CAUSES[why]} It could start programs and read your secrets, so none of it was used.${more}`;
  const agree = howToAgree(file);
  const goOn = "To continue without it: run this in another folder, or name another file with --config FILE.";
  const until = why === "denied" ? "this program ends" : "you agree to it as it is now";
  const atReload = `${file}\n${CAUSES[why]} What was loaded from it before stays in use until ${until}.${more}\n${agree}`;
  return { kind: "unagreed", file, cause, atReload, messages: [`${cause}\n${agree}\n${goOn}`] };
}

/** For a file that nobody can be asked about, because what it asks for cannot be shown. */
export function cannotBeShown(file: string, problems: readonly string[]): Unagreed {
  const cause = `${file}\nThis config file was found in the current folder and cannot be read, so none of it was used.`;
  return { kind: "unagreed", file, cause, atReload: cause, messages: [cause, ...problems] };
}

/** `allow` agrees at once, so whoever is sent there has to have read the file. */
export function howToAgree(file: string): string {
  return `Read it, and if you agree to it, run: ${allowCommand(file)}`;
}

export function allowCommand(file: string): string {
  return `tacklebox allow ${quoteForShell(file)}`;
}

/** For a file that uses more than its agreement says, which only a record of another version of Tacklebox can cause. */
export function describeUnshown(file: string, secrets: readonly string[]): string {
  return `${file}\nThis config file uses secrets that you were not shown when you agreed to it: ${secrets.join(", ")}. To agree to it again: tacklebox deny ${quoteForShell(file)}, then ${allowCommand(file)}`;
}

/** A warning about overrides that a file of the current folder is not given. */
export function describeIgnored(file: string, variables: readonly string[]): string {
  return `${file}\nThese overrides are not applied to a config file found in the current folder: ${variables.join(", ")}. To apply them, name the file: --config ${quoteForShell(file)}`;
}
