const SECRET =
  /token|key|secret|pass|pwd|(^|_)pat($|_)|auth|credential|cookie|session|dsn|connection_?string|signature|(^|_)sig($|_)/i;
/** Names that contain such a word and mean something else. */
const HARMLESS =
  /(max|min|num|total|prompt|completion|input|output)[-_]?tokens|tokens?[-_]?(limit|count|budget|window)|tokeni[sz]er|author(?!i)|key(board|word|space|frame|note)|monkey|passive|passthrough|compass|bypass/i;
/** Names that end like this are credentials and nothing else. */
const CERTAIN =
  /(password|passwd|passphrase|[-_ ]pass|pwd|secret|token|api[-_ ]?key|[a-z]key|[-_ ]key|signature|credential)s?$/i;

/** Whether a variable, flag, header, parameter or field of this name holds a secret as a rule. */
export function isSecretName(name: string): boolean {
  return SECRET.test(name) && !HARMLESS.test(name);
}

/**
 * Stricter than isSecretName, for names found inside a text, where anything can stand before `=`, and for warnings.
 */
export function isCertainlySecretName(name: string): boolean {
  return (CERTAIN.test(name) || /^(pass|key)$/i.test(name)) && !HARMLESS.test(name);
}

const HARMLESS_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "connection",
  "content-type",
  "host",
  "mcp-protocol-version",
  "origin",
  "referer",
  "user-agent",
]);

/** Every other header may carry a credential: services invent their own. */
export function isHarmlessHeader(name: string): boolean {
  return HARMLESS_HEADERS.has(name.toLowerCase());
}
