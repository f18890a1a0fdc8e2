import type { CallOutcome, CallRecord, CallRequest } from "../domain/call.ts";
import type { Message } from "../domain/message.ts";
import type { Selection } from "../domain/selection.ts";
import type { RegisteredTool, Toolbox } from "../domain/tool.ts";
import type { ModelTool } from "../ports/model.ts";
import type { PlannedCall } from "./make-calls.ts";
import { createResultReader } from "./read-result.ts";
import type { ResultReading } from "./result-for-model.ts";
import { type SelectionContext, selectTools } from "./select-tools.ts";
import { createToolFinder, type ToolFinder } from "./tool-finder.ts";
import { toModelTool } from "./tool-tokens.ts";

/** The tools of one prompt. Made once: every request of it is sent with the same ones (C3.2). */
export interface RequestTools {
  readonly selection: Selection;
  readonly reading: ResultReading;
  /** In their order. What stays the same from prompt to prompt comes first, for the sake of vendors' caches. */
  sent(messages: readonly Message[]): readonly ModelTool[];
  /** The answer to a call of a tool of ours; undefined for every other. */
  answerOwn(call: PlannedCall, messages: readonly Message[]): Promise<CallOutcome | undefined>;
  /** The call that is meant: one of our `call_tool` is a call of the tool it names. */
  toRequest(call: PlannedCall): CallRequest;
}

export interface RequestToolsDeps extends Omit<SelectionContext, "tools" | "used"> {
  /** The session's, read anew each time: servers come and go while a run goes on. */
  readonly toolbox: () => Toolbox;
  /** Whether models may see it: what would be denied anyway is neither sent nor found. */
  readonly isOffered: (tool: RegisteredTool) => boolean;
  readonly loadCall: (id: string) => Promise<CallRecord | undefined>;
}

export async function createRequestTools(deps: RequestToolsDeps): Promise<RequestTools> {
  const { toolbox, isOffered, messages: before } = deps;
  const reader = createResultReader(toolbox(), deps.model, deps.loadCall);
  const finder = createToolFinder(deps);
  const { steady, chosen, capped, selection } = await selectTools({
    ...deps,
    tools: [...toolbox().tools.values()].filter(isOffered),
    used: usedTools(before, finder),
  });
  const sent = [
    ...steady.map(toModelTool),
    ...(selection.left + selection.capped > 0 ? finder.tools(capped) : []),
    ...chosen.map(toModelTool),
  ];
  return {
    selection,
    reading: reader.reading,
    sent: (messages) => (reader.isNeeded(messages) ? [...sent, reader.tool] : sent),
    async answerOwn(call, messages) {
      if (call.tool === reader.tool.name) return reader.read(call.callId, call.arguments, messages);
      return finder.answer(call.callId, call);
    },
    toRequest: finder.toRequest,
  };
}

/** Shown names of what was called in the conversation, the latest last. */
function usedTools(messages: readonly Message[], { toRequest }: ToolFinder): readonly string[] {
  const names = new Set<string>();
  const parts = messages.flatMap((message) => (message.role === "assistant" ? message.parts : []));
  for (const part of parts) {
    if (part.type !== "call") continue;
    const { tool } = toRequest(part);
    names.delete(tool);
    names.add(tool);
  }
  return [...names];
}
