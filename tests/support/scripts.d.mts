/** The Node versions Tacklebox supports. */
export declare const MAJORS: readonly string[];

export type FoundNode =
  | { readonly kind: "found"; readonly file: string }
  | { readonly kind: "missing"; readonly why: string };

/** Finds a Node of that major version: the running one, or one from npm, which is installed if missing. */
export declare function findNode(major: string): Promise<FoundNode>;

/**
 * Installs the package-lock.json of a folder outside the workspaces, unless that is already installed. Resolves to
 * undefined once installed, or to why that is impossible without a network.
 */
export declare function installLocked(folder: string, what: string): Promise<string | undefined>;

/** Returns npm's own script, to be run with Node. */
export declare function npmProgram(): string;

/** The folders and files of core's sources, from the top: each may import those below it. */
export declare const CORE_ROOMS: readonly string[];

/** Lists what a file of core imports against that order. */
export declare function roomBreaches(file: string, source: string): readonly { readonly message: string }[];
