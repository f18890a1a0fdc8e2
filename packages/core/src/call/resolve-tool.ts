import type { CallFailure, CallRequest, ResolvedCall } from "../domain/call.ts";
import { suggestion } from "../domain/nearest-name.ts";
import type { ServerDefinition } from "../domain/server.ts";
import type { RegisteredTool, Toolbox } from "../domain/tool.ts";

export type Resolution =
  | { readonly kind: "resolved"; readonly registered: RegisteredTool; readonly definition: ServerDefinition }
  | { readonly kind: "ended"; readonly failure: CallFailure };

/** Looks a name up in the toolbox. What is hidden does not exist: no door can reach it by another spelling (T25). */
export function resolveTool(
  request: CallRequest,
  toolbox: Toolbox,
  definitionOf: (tool: RegisteredTool) => ServerDefinition | undefined,
): Resolution {
  const registered = find(request, toolbox);
  if (registered === undefined) return unknown(request, toolbox);
  const definition = definitionOf(registered);
  if (definition === undefined) return unknown(request, toolbox);
  return { kind: "resolved", registered, definition };
}

export function toResolvedCall(
  id: string,
  requestedAt: string,
  request: CallRequest,
  { registered, definition }: { registered: RegisteredTool; definition: ServerDefinition },
): ResolvedCall {
  return { id, requestedAt, registered, definition, arguments: request.arguments };
}

function find({ tool, server }: CallRequest, toolbox: Toolbox): RegisteredTool | undefined {
  const shown = toolbox.tools.get(tool);
  if (server === undefined) return shown;
  if (shown?.ref.server === server && shown.ref.name === tool) return shown;
  const exact = [...toolbox.tools.values()].find(({ ref }) => ref.server === server && ref.name === tool);
  return exact ?? (shown?.ref.server === server ? shown : undefined);
}

function unknown({ tool, server }: CallRequest, toolbox: Toolbox): Resolution {
  const tools = [...toolbox.tools.values()];
  const servers = [...new Set(tools.map(({ ref }) => ref.server))];
  if (server !== undefined && !servers.includes(server)) {
    const message = `Unknown tool '${tool}': no server '${server}' offers any.${suggestion(server, servers)}`;
    return { kind: "ended", failure: { ending: "unknown-tool", message } };
  }
  const candidates = tools.filter(({ ref }) => server === undefined || ref.server === server);
  const hint = suggestion(
    tool,
    candidates.map(({ shownName }) => shownName),
  );
  const where = server === undefined ? "" : ` of server '${server}'`;
  return { kind: "ended", failure: { ending: "unknown-tool", message: `Unknown tool '${tool}'${where}.${hint}` } };
}
