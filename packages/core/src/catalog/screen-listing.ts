import type { QuarantinedTool, Tool, ToolListing } from "../domain/tool.ts";
import type { Json } from "../json/json.ts";
import type { KnownSecrets, Redactor } from "../ports/known-secrets.ts";
import { redactJson } from "../secrets/redact.ts";
import { holdsSecretBesidesTexts, redactTexts } from "../secrets/redact-texts.ts";

/**
 * Redacts known secrets in the texts of tools, and quarantines tools that hold one where it cannot be redacted: in their
 * name, or in a choice, a constant or a property of a schema (F9). Models, searches and lists see only the outcome.
 */
export function screenListing(
  listing: ToolListing,
  redact: Redactor,
  holderOf: KnownSecrets["holderOf"] = () => undefined,
): ToolListing {
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
    else withSecrets.push({ name: redact(tool.name), reason: reasonOf(place, holderOf) });
  }
  const quarantined = listing.quarantined.map((known) => ({ ...known, name: redact(known.name) }));
  return { tools, quarantined: [...quarantined, ...withSecrets] };
}

interface PlaceOfSecret {
  readonly text: string;
  readonly part: Json | undefined;
}

function placeOfSecret({ name, raw }: Tool, redact: Redactor): PlaceOfSecret | undefined {
  if (!holdsSecretBesidesTexts(raw, redact)) return undefined;
  if (redact(name) !== name) return { text: "its name", part: name };
  const schema = ["inputSchema", "outputSchema"].find((key) => holdsSecretBesidesTexts(raw[key], redact));
  if (schema === undefined) return { text: "its definition", part: raw };
  return { text: `its ${schema} (a choice, a constant or the name of a property)`, part: raw[schema] };
}

/** Names where the secret is written, so that an operator can act; never the secret. */
function reasonOf({ text, part }: PlaceOfSecret, holderOf: KnownSecrets["holderOf"]): string {
  const holder = holderOf(JSON.stringify(part) ?? "");
  const from = holder === undefined ? "" : `: that of ${holder}`;
  return `${text} holds a value that is known here as a secret${from}. Rename it at its server, or change the secret if the two are equal by chance`;
}
