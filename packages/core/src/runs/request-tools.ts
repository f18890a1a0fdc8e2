import type { CallOutcome, CallRequest } from "../domain/call.ts";
import type { Message } from "../domain/message.ts";
import type { Selection } from "../domain/selection.ts";
import type { RegisteredTool, Toolbox } from "../domain/tool.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import type { ModelTool } from "../ports/model.ts";
import type { ComingServers } from "./coming-servers.ts";
import type { PlannedCall } from "./make-calls.ts";
import { createResultReader } from "./read-result.ts";
import type { ResultReading } from "./result-for-model.ts";
import { type SelectionContext, selectLate, selectTools } from "./select-tools.ts";
import { createToolFinder, type ToolFinder } from "./tool-finder.ts";
import { toModelTool } from "./tool-tokens.ts";

/**
 * The tools of one prompt, selected once: every request of the prompt is sent with the same tools, and with those of
 * servers that have joined since behind them.
 */
export interface RequestTools {
  readonly selection: Selection;
  readonly reading: ResultReading;
  /** The tools to send, in order. Those that stay the same from prompt to prompt come first, for vendors' caches. */
  sent(messages: readonly Message[]): readonly ModelTool[];
  /** Answers a call of a built-in tool; resolves to undefined for every other tool. */
  answerBuiltIn(call: PlannedCall, messages: readonly Message[]): Promise<CallOutcome | undefined>;
  /** The call the model means: a call of `call_tool` is a call of the tool it names. */
  toRequest(call: PlannedCall): CallRequest;
}

export interface RequestToolsDeps extends Omit<SelectionContext, "tools" | "used"> {
  /** The session's toolbox, read each time it is needed: servers come and go during a run. */
  readonly toolbox: () => Toolbox;
  /** Whether models may see the tool: one whose calls would be denied anyway is neither sent nor found. */
  readonly isOffered: (tool: RegisteredTool) => boolean;
  /** Called with each tool of which the model is told. */
  readonly noteGiven: (tool: RegisteredTool) => void;
  readonly loadText: (callId: string) => Promise<string | undefined>;
  readonly redact: Redactor;
  readonly coming: ComingServers;
}

export async function createRequestTools(deps: RequestToolsDeps): Promise<RequestTools> {
  const { toolbox, isOffered, noteGiven, messages: before } = deps;
  const reader = createResultReader(deps.model, deps.loadText);
  const finder = createToolFinder(deps);
  const { steady, chosen, capped, selection } = await selectTools({
    ...deps,
    tools: [...toolbox().tools.values()].filter(isOffered),
    used: usedTools(before, finder),
  });
  // A model that needs a tool of a server that is still connecting waits for it by searching.
  let isFinderSent = selection.left + selection.capped > 0 || deps.coming.names().length > 0;
  const sent = [...steady.map(toModelTool), ...(isFinderSent ? finder.tools(capped) : []), ...chosen.map(toModelTool)];
  const names = new Set([...sent, ...finder.tools([]), reader.tool].map(({ name }) => name));
  const selected = [...steady, ...chosen];
  for (const tool of [...selected, ...(isFinderSent ? capped : [])]) noteGiven(tool);
  const serversBefore = new Set(toolbox().servers.keys());

  /** Adds the tools of servers that have joined since, which stay in their places from then on. */
  function addLate(): void {
    const late = [...toolbox().tools.values()].filter(
      (tool) => !serversBefore.has(tool.ref.server) && !names.has(tool.shownName) && isOffered(tool),
    );
    const fitting = selectLate(late, selected, deps);
    for (const tool of fitting) {
      names.add(tool.shownName);
      selected.push(tool);
      sent.push(toModelTool(tool));
      noteGiven(tool);
    }
    if (isFinderSent || fitting.length === late.length) return;
    // Something cannot be sent, so the model needs a way to find it.
    isFinderSent = true;
    sent.push(...finder.tools([]));
  }

  return {
    selection,
    reading: reader.reading,
    sent(messages) {
      addLate();
      return reader.isNeeded(messages) ? [...sent, reader.tool] : [...sent];
    },
    async answerBuiltIn(call, messages) {
      if (call.tool === reader.tool.name) return reader.read(call.callId, call.arguments, messages);
      return finder.answer(call.callId, call);
    },
    toRequest: finder.toRequest,
  };
}

/** The shown names of the tools called in the conversation, the latest last. */
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
