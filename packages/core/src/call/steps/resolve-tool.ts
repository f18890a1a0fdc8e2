import type { CallFailure, CallRequest, ResolvedCall } from "../../domain/call.ts";
import type { ServerDefinition } from "../../domain/server.ts";
import type { RegisteredTool, Toolbox } from "../../domain/tool.ts";

export type Resolution =
  | { readonly kind: "resolved"; readonly registered: RegisteredTool; readonly definition: ServerDefinition }
  | { readonly kind: "ended"; readonly failure: CallFailure };

export interface ResolutionContext {
  readonly toolbox: Toolbox;
  definitionOf(tool: RegisteredTool): ServerDefinition | undefined;
  /** Why the request names nothing that can be called. Asked only once it is known that it does not. */
  absenceOf(request: CallRequest): CallFailure;
}

/** Looks a name up in the toolbox. Hidden tools do not exist here: no other spelling of a name can reach them (T25). */
export function resolveTool(request: CallRequest, context: ResolutionContext): Resolution {
  const registered = find(request, context.toolbox);
  const definition = registered === undefined ? undefined : context.definitionOf(registered);
  if (registered === undefined || definition === undefined)
    return { kind: "ended", failure: context.absenceOf(request) };
  return { kind: "resolved", registered, definition };
}

export function toResolvedCall(
  id: string,
  requestedAt: string,
  request: CallRequest,
  { registered, definition }: { registered: RegisteredTool; definition: ServerDefinition },
  sessionId: string | undefined,
): ResolvedCall {
  const { unreadable } = request;
  const call = { id, requestedAt, registered, definition, arguments: request.arguments };
  if (unreadable === undefined && sessionId === undefined) return call;
  return { ...call, ...(unreadable !== undefined && { unreadable }), ...(sessionId !== undefined && { sessionId }) };
}

function find({ tool, server }: CallRequest, toolbox: Toolbox): RegisteredTool | undefined {
  const shown = toolbox.tools.get(tool);
  if (server === undefined) return shown;
  if (shown?.ref.server === server && shown.ref.name === tool) return shown;
  return toolbox.servers.get(server)?.get(tool) ?? (shown?.ref.server === server ? shown : undefined);
}
