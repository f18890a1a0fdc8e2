/** Converts an absolute path to a file URI. Accepts POSIX and Windows paths on every platform. */
export function toFileUri(path: string): string {
  const drive = /^[A-Za-z]:[\\/]/.test(path);
  const share = path.startsWith("\\\\");
  const slashed = drive || share ? path.replaceAll("\\", "/") : path;
  // encodeURI throws on lone surrogates, and no file could be found by such a name anyway.
  const encoded = encodeURI(slashed.replace(/\p{Surrogate}/gu, "\u{fffd}")).replace(/[?#]/g, encodeURIComponent);
  if (share) return `file:${encoded}`;
  return `file://${drive ? "/" : ""}${encoded}`;
}
