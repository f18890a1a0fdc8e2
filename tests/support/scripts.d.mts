/** The versions of Node that Tacklebox promises to run on. */
export declare const MAJORS: readonly string[];

export type FoundNode =
  | { readonly kind: "found"; readonly file: string }
  | { readonly kind: "missing"; readonly why: string };

/** A Node of that version: this one, or one from npm, which is installed when it is not there. */
export declare function findNode(major: string): Promise<FoundNode>;

/**
 * Installs what the package-lock.json of a folder outside the workspaces asks for, unless it is there already. Resolves to
 * why nothing could be installed without a network; undefined when all is there.
 */
export declare function installLocked(folder: string, what: string): Promise<string | undefined>;

/** npm's own file, to be run with Node. */
export declare function npmProgram(): string;
