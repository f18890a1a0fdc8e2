import type { RegisteredTool } from "../domain/tool.ts";
import type { KnownSecrets } from "../ports/known-secrets.ts";
import { redactTexts } from "../secrets/redact-texts.ts";

/** A tool as it may leave the engine: what it says holds no secret. Structure stays, or it could not be called any more. */
export type CleanTool = (registered: RegisteredTool) => RegisteredTool;

/** Lists are long and asked for often: each tool is looked through once, until there is another secret to look for. */
export function createToolCleaner({ redact, version }: KnownSecrets): CleanTool {
  const cleaned = new WeakMap<RegisteredTool, { readonly version: number; readonly tool: RegisteredTool }>();
  return (registered) => {
    if (redact.idle) return registered;
    const known = cleaned.get(registered);
    if (known?.version === version()) return known.tool;
    const tool = redactTexts(registered.tool, redact);
    const clean = tool === registered.tool ? registered : { ...registered, tool };
    cleaned.set(registered, { version: version(), tool: clean });
    return clean;
  };
}
