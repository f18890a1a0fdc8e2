/** What completion scripts call to get names: `tacklebox __complete SHELL WORD…`. No command of the table. */
export const COMPLETE = "__complete";

/** What the names that a shell completes are names of. */
export type WordKind =
  | "servers"
  /** The names that tools have here. */
  | "tools"
  /** The names that the tools of the server before have there; of all servers if none is named. */
  | "server-tools"
  /** `server:tool` */
  | "tool-refs"
  | "sessions"
  | "gpts"
  | "models"
  | "secrets"
  | "grants"
  | "calls";

/** Options that take such a name, whatever the command. */
const FLAGS: Readonly<Record<string, WordKind>> = {
  "--server": "servers",
  "--session": "sessions",
  "--gpt": "gpts",
  "--model": "models",
  "--tool": "tool-refs",
  "--without": "tool-refs",
  "--trust": "tool-refs",
};

/** Those of one command that take another kind of name than the same option elsewhere. */
const FLAGS_OF_COMMANDS: Readonly<Record<string, WordKind>> = { "calls --tool": "server-tools" };

/** What the arguments of a command name, one after the other. */
const ARGUMENTS: Readonly<Record<string, readonly WordKind[]>> = {
  tools: ["tools"],
  call: ["servers", "server-tools"],
  calls: ["calls"],
  why: ["tools"],
  read: ["servers"],
  prompts: ["servers"],
  remove: ["servers"],
  enable: ["servers"],
  disable: ["servers"],
  trust: ["servers", "server-tools"],
  "grants revoke": ["grants"],
  "secret set": ["secrets"],
  "secret remove": ["secrets"],
  "model test": ["models"],
  "gpt show": ["gpts"],
  "gpt remove": ["gpts"],
  "sessions show": ["sessions"],
  "sessions remove": ["sessions"],
};

/** The commands whose arguments are such names. */
export const COMPLETED_COMMANDS: readonly string[] = Object.keys(ARGUMENTS);

export function kindOfFlag(command: string, flag: string): WordKind | undefined {
  return ownValue(FLAGS_OF_COMMANDS, `${command} ${flag}`) ?? ownValue(FLAGS, flag);
}

export function kindOfArgument(command: string, place: number): WordKind | undefined {
  return ownValue(ARGUMENTS, command)?.[place];
}

function ownValue<T>(map: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}
