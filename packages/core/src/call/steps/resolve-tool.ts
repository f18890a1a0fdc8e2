import type { CallFailure, CallRequest, ResolvedCall } from "../../domain/call.ts";
import type { ConnectionStatus } from "../../domain/connection.ts";
import type { ServerDefinition } from "../../domain/server.ts";
import type { RegisteredTool, Toolbox } from "../../domain/tool.ts";
import { suggestion } from "../../text/nearest-name.ts";

export type Resolution =
  | { readonly kind: "resolved"; readonly registered: RegisteredTool; readonly definition: ServerDefinition }
  | { readonly kind: "ended"; readonly failure: CallFailure };

export interface ResolutionContext {
  readonly toolbox: Toolbox;
  definitionOf(tool: RegisteredTool): ServerDefinition | undefined;
  /** The server that the request is for, if it has not come up, so that its tools are not known. */
  absentServer(request: CallRequest): AbsentServer | undefined;
}

export type AbsentServer =
  | {
      readonly kind: "down";
      readonly name: string;
      readonly status: ConnectionStatus;
      readonly cause: string | undefined;
      /** Whether it is connecting for the first time, so that a call waits for it unless it is cancelled. */
      readonly isComing: boolean;
    }
  /** As many calls wait for it as may. */
  | { readonly kind: "crowded"; readonly name: string };

/** Looks a name up in the toolbox. Hidden tools do not exist here: no other spelling of a name can reach them (T25). */
export function resolveTool(request: CallRequest, context: ResolutionContext): Resolution {
  const { toolbox } = context;
  const registered = find(request, toolbox);
  if (registered === undefined) {
    const absent = context.absentServer(request);
    return absent === undefined ? unknown(request, toolbox) : { kind: "ended", failure: toFailure(absent) };
  }
  const definition = context.definitionOf(registered);
  if (definition === undefined) return unknown(request, toolbox);
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

function toFailure(server: AbsentServer): CallFailure {
  const { name } = server;
  if (server.kind === "crowded") {
    const message = `Server '${name}' is still connecting, and too many calls wait for it. Call again once it is connected`;
    return { ending: "limit", message };
  }
  const { status, cause, isComing } = server;
  if (isComing)
    return { ending: "cancelled", message: `The call was cancelled while it waited for server '${name}' to connect` };
  return { ending: "unreachable", message: `Server '${name}' cannot be reached: ${cause ?? `it is ${status}`}` };
}

function unknown({ tool, server }: CallRequest, toolbox: Toolbox): Resolution {
  const own = server === undefined ? toolbox.tools : toolbox.servers.get(server);
  if (own === undefined) {
    const hint = suggestion(server ?? "", [...toolbox.servers.keys()]);
    const message = `Unknown tool '${tool}': no server '${server}' offers any.${hint}`;
    return { kind: "ended", failure: { ending: "unknown-tool", message } };
  }
  const hint = suggestion(
    tool,
    Array.from(own.values(), ({ shownName }) => shownName),
  );
  const where = server === undefined ? "" : ` of server '${server}'`;
  return { kind: "ended", failure: { ending: "unknown-tool", message: `Unknown tool '${tool}'${where}.${hint}` } };
}
