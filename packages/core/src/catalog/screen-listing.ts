import type { QuarantinedTool, Tool, ToolListing } from "../domain/tool.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import { holdsSecretBesidesTexts } from "../secrets/redact-texts.ts";

/**
 * Quarantines the tools that hold a known secret where it cannot be redacted: in their name, or in a choice, a constant
 * or a property of a schema (F9). No model and no list would show such a tool without showing the secret.
 */
export function screenListing(listing: ToolListing, redact: Redactor): ToolListing {
  if (redact.idle) return listing;
  const tools: Tool[] = [];
  const withSecrets: QuarantinedTool[] = [];
  for (const tool of listing.tools) {
    const place = placeOfSecret(tool, redact);
    if (place === undefined) tools.push(tool);
    else withSecrets.push({ name: redact(tool.name), reason: reasonOf(place) });
  }
  const isNamed = ({ name }: QuarantinedTool) => redact(name) !== name;
  if (withSecrets.length === 0 && !listing.quarantined.some(isNamed)) return listing;
  const quarantined = listing.quarantined.map((known) => ({ ...known, name: redact(known.name) }));
  return { tools, quarantined: [...quarantined, ...withSecrets] };
}

function placeOfSecret({ name, raw }: Tool, redact: Redactor): string | undefined {
  if (!holdsSecretBesidesTexts(raw, redact)) return undefined;
  if (redact(name) !== name) return "its name";
  const schema = ["inputSchema", "outputSchema"].find((key) => holdsSecretBesidesTexts(raw[key], redact));
  return schema === undefined ? "its definition" : `its ${schema} (a choice, a constant or the name of a property)`;
}

function reasonOf(place: string): string {
  return `${place} holds a value that is known here as a secret. Rename it at its server, or change the secret if the two are equal by chance`;
}
