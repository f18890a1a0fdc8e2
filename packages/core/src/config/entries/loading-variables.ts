/** Variables that only the operator may set for a server (T05): whatever the command says, they decide what runs. */
const DECISIVE = "LD_PRELOAD|LD_LIBRARY_PATH|LD_AUDIT|DYLD_.*|NODE_OPTIONS|PYTHONSTARTUP|BASH_ENV|GIT_SSH_COMMAND|PATH";
/** Variables that can do the same, but are common settings of some programs. */
const SUSPICIOUS = "NODE_PATH|PYTHONPATH|ENV|PERL5OPT|RUBYOPT|GIT_ASKPASS|SSH_ASKPASS|GIT_CONFIG_KEY_.*";

const REFUSED = new RegExp(`^(${DECISIVE})$`, "i");
const LOADING = new RegExp(`^(${DECISIVE}|${SUSPICIOUS})$`, "i");

/** Whether a variable can make programs run code that their command does not show. */
export function loadsCode(name: string): boolean {
  return LOADING.test(name);
}

/** Returns the variables of a launch that a door has to refuse. Ignores case, as Windows does. */
export function refusedVariables(env: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(env).filter((name) => REFUSED.test(name));
}
