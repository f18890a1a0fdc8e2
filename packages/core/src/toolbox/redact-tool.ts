import type { RegisteredTool } from "../domain/tool.ts";
import type { KnownSecrets } from "../ports/known-secrets.ts";
import { redactTexts } from "../secrets/redact-texts.ts";

/** Redacts a tool's texts before it leaves the engine. Its structure stays, or it could not be called any more. */
export type RedactTool = (registered: RegisteredTool) => RegisteredTool;

/** Each tool is redacted once and cached until a new secret is known, because lists are long and requested often. */
export function createToolRedactor({ redact, version }: KnownSecrets): RedactTool {
  const redactedTools = new WeakMap<RegisteredTool, { readonly version: number; readonly tool: RegisteredTool }>();
  return (registered) => {
    if (redact.idle) return registered;
    const known = redactedTools.get(registered);
    if (known?.version === version()) return known.tool;
    const tool = redactTexts(registered.tool, redact);
    const redacted = tool === registered.tool ? registered : { ...registered, tool };
    redactedTools.set(registered, { version: version(), tool: redacted });
    return redacted;
  };
}
