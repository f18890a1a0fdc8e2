/** How a tool's present definition compares with the one that was first used. */
export type PinState =
  | { readonly kind: "new"; readonly fingerprint: string }
  | { readonly kind: "same"; readonly fingerprint: string }
  | { readonly kind: "changed"; readonly fingerprint: string; readonly agreed: string };

export function comparePin(fingerprint: string, agreed: string | undefined): PinState {
  if (agreed === undefined) return { kind: "new", fingerprint };
  return agreed === fingerprint ? { kind: "same", fingerprint } : { kind: "changed", fingerprint, agreed };
}
