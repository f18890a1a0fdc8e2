import type { QuarantinedTool, Tool, ToolListing } from "../domain/tool.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import { redactJson } from "../secrets/redact.ts";
import { holdsSecretBesidesTexts, redactTexts } from "../secrets/redact-texts.ts";

/**
 * Redacts known secrets in the texts of tools, and quarantines tools that hold one where it cannot be redacted: in their
 * name, or in a choice, a constant or a property of a schema (F9). Models, searches and lists see only the outcome.
 */
export function screenListing(listing: ToolListing, redact: Redactor): ToolListing {
  if (redact.idle) return listing;
  const tools: Tool[] = [];
  const withSecrets: QuarantinedTool[] = [];
  for (const tool of listing.tools) {
    // Decided from what the server sent: all that a tool consists of is taken from that.
    if (redactJson(redact, tool.raw) === tool.raw) {
      tools.push(tool);
      continue;
    }
    const place = placeOfSecret(tool, redact);
    if (place === undefined) tools.push(redactTexts(tool, redact));
    else withSecrets.push({ name: redact(tool.name), reason: reasonOf(place) });
  }
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
