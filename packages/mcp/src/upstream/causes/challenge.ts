/** What a server says in `WWW-Authenticate` about the sign-in it wants. Untrusted text. */
export interface Challenge {
  readonly scheme: string;
  readonly realm?: string;
  readonly scope?: string;
  readonly error?: string;
  readonly errorDescription?: string;
  /** Where the server's authorization is described (RFC 9728). */
  readonly resourceMetadata?: string;
}

/** Longer than any header that is meant to be read. */
const MAX_HEADER = 4096;
/** A scheme, or a parameter of the scheme before it. */
const PARTS = /([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?/g;

/** Parses the header, which may name several schemes. Whatever is malformed is passed over. */
export function parseChallenges(header: string | null): readonly Challenge[] {
  const found: { scheme: string; parameters: Map<string, string> }[] = [];
  for (const [, name = "", quoted, bare] of (header ?? "").slice(0, MAX_HEADER).matchAll(PARTS)) {
    const value = quoted?.replace(/\\(.)/g, "$1") ?? bare;
    if (value === undefined) found.push({ scheme: name, parameters: new Map() });
    else found.at(-1)?.parameters.set(name.toLowerCase(), value);
  }
  return found.map(({ scheme, parameters }) => ({ scheme, ...toKnown(parameters) }));
}

function toKnown(parameters: ReadonlyMap<string, string>): Omit<Challenge, "scheme"> {
  const realm = parameters.get("realm");
  const scope = parameters.get("scope");
  const error = parameters.get("error");
  const errorDescription = parameters.get("error_description");
  const resourceMetadata = parameters.get("resource_metadata");
  return {
    ...(realm !== undefined && { realm }),
    ...(scope !== undefined && { scope }),
    ...(error !== undefined && { error }),
    ...(errorDescription !== undefined && { errorDescription }),
    ...(resourceMetadata !== undefined && { resourceMetadata }),
  };
}
