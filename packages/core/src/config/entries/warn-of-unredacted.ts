import type { UnredactedCredential } from "../../secrets/find-secrets.ts";
import { textOfPlace } from "../../secrets/secret-holders.ts";
import type { Path } from "../document/path.ts";
import type { Report } from "../document/report.ts";

/** Warns of credentials that cannot be redacted (F16), once for each place. */
export function warnOfUnredacted(
  found: readonly UnredactedCredential[],
  { owner, path, urlField = "url" }: { readonly owner: string; readonly path: Path; readonly urlField?: string },
  report: Report,
): void {
  for (const { place, why } of found) {
    const at = [
      ...path,
      ...(place.field === "url" ? [urlField] : "member" in place ? [place.field, place.member] : [place.field]),
    ];
    report.warnOnce(at, `The credential in ${textOfPlace(place, urlField)} of ${owner} is ${why}`);
  }
}
