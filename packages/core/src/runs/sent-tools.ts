import type { CallRequest } from "../domain/call.ts";
import { createToolbox, type RegisteredTool, sameRef, type Toolbox, toolIn } from "../domain/tool.ts";
import type { Access } from "../servers/access.ts";

/** The tools whose definitions the model of a run was given, and what it can mean when it calls one. */
export interface SentTools {
  /** Notes that the model is given the tool: for the rest of the run its name means that tool. */
  note(tool: RegisteredTool): void;
  /** Whether the model was given the tool as it is now. */
  wasGiven(tool: RegisteredTool): boolean;
  /** The call with the server of the tool that the model was given under the name; the call itself if it was given none. */
  withServer(call: CallRequest): CallRequest;
  /** The call and the toolbox to make it from, once no server has to be waited for. */
  resolve(call: CallRequest): { readonly request: CallRequest; readonly toolbox: Toolbox };
}

export interface SentToolsDeps {
  readonly access: Pick<Access, "use">;
  /** What the session may call, read each time it is needed. */
  readonly toolbox: () => Toolbox;
  /** False for a tool whose calls would all be denied. */
  readonly isOffered: (tool: RegisteredTool) => boolean;
  /** Whether a person was shown the definition, if one has to be. */
  readonly isSeen: (tool: RegisteredTool) => boolean;
}

export function createSentTools({ access, toolbox, isOffered, isSeen }: SentToolsDeps): SentTools {
  const given = new Map<string, RegisteredTool>();

  /** What the model was given while no person had to see it is no longer a secret from it. */
  function wasGiven({ shownName, tool }: RegisteredTool): boolean {
    return given.get(shownName)?.tool === tool;
  }

  function isKnown(tool: RegisteredTool): boolean {
    return wasGiven(tool) || isSeen(tool);
  }

  function withServer(call: CallRequest): CallRequest {
    const ref = call.server === undefined ? given.get(call.tool)?.ref : undefined;
    return ref === undefined ? call : { ...call, tool: ref.name, server: ref.server };
  }

  /** The model's errors must not tell it what it may not be given: names and schemas of other tools. */
  function withoutUnseen(all: Toolbox, wanted: RegisteredTool | undefined): Toolbox {
    const toVisible = (tool: RegisteredTool): RegisteredTool | [] => {
      if (isOffered(tool) && isKnown(tool)) return tool;
      return tool === wanted ? withoutSchema(tool) : [];
    };
    const tools = [...all.tools.values()].flatMap(toVisible);
    const nameless = all.nameless.flatMap(toVisible);
    return createToolbox(new Map(tools.map((tool) => [tool.shownName, tool])), all.hidden, { ...all, nameless });
  }

  return {
    note(tool) {
      given.set(tool.shownName, tool);
      access.use(tool);
    },
    wasGiven,
    withServer,
    resolve(call) {
      const current = toolbox();
      const { server, tool } = call;
      const named = server === undefined ? current.tools.get(tool) : current.servers.get(server)?.get(tool);
      const ref = server === undefined ? given.get(tool)?.ref : undefined;
      const isMeant = ref === undefined || (named !== undefined && sameRef(named.ref, ref));
      const wanted = isMeant || ref === undefined ? named : toolIn(current, ref);
      const request = isMeant ? call : withServer(call);
      if (wanted === undefined || !isOffered(wanted) || !isKnown(wanted))
        return { request, toolbox: withoutUnseen(current, wanted) };
      if (server === undefined) access.use(wanted);
      return { request, toolbox: current };
    },
  };
}

/** Its calls are denied or asked about, never explained: the arguments are not held against a schema. */
function withoutSchema(registered: RegisteredTool): RegisteredTool {
  return { ...registered, tool: { ...registered.tool, inputSchema: {} } };
}
