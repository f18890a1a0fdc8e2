import type { SerialPerKey } from "../async/serial.ts";
import { waitForTool } from "../call/wait-for-servers.ts";
import type { Gpt } from "../domain/gpt.ts";
import type { RunRequest } from "../domain/run.ts";
import type { Model, Models } from "../ports/model.ts";
import { openTranscript } from "../sessions/transcript.ts";
import { resolveChoices } from "../toolbox/resolve-choices.ts";
import { resultReading } from "./read-result.ts";
import { excerpt } from "./result-for-model.ts";
import { createRunContext, promptText, type RunContextDeps, type RunSettings } from "./run-context.ts";
import type { RunContext } from "./run-prompt.ts";

export interface PrepareDeps extends RunContextDeps {
  readonly models: Models | undefined;
  readonly findGpt: (key: string) => Promise<Gpt | undefined>;
  /** Runs changes of one session one at a time. */
  readonly inTurn: SerialPerKey;
}

export type PrepareRun = (
  runId: string,
  request: RunRequest,
  setting: RunSettings,
  signal: AbortSignal,
) => Promise<RunContext | string>;

/** Looks up and opens everything one run needs; resolves to an error message if something is missing. */
export function createRunPreparer(deps: PrepareDeps): PrepareRun {
  const { store } = deps;

  async function openModel(name: string | undefined): Promise<Model | string> {
    if (deps.models === undefined) return "No model is available here";
    const opened = await deps.models.open(name);
    return opened.kind === "opened" ? opened.model : opened.message;
  }

  return async (runId, request, setting, signal) => {
    const begun = deps.overlayOf(request.sessionId)?.session();
    const saved =
      request.sessionId === undefined ? undefined : ((await store.sessions.load(request.sessionId)) ?? begun);
    const gptKey = request.gpt ?? saved?.gpt;
    const gpt = gptKey === undefined ? undefined : await deps.findGpt(gptKey);
    if (gptKey !== undefined && gpt === undefined)
      return `There is no GPT '${gptKey}'. GPTs are those of the config file and those you saved`;
    const model = await openModel(request.model ?? gpt?.model ?? saved?.model);
    if (typeof model === "string") return model;
    const access = deps.accessOf(request.sessionId);
    for (const name of Object.keys(request.tools ?? {}))
      if (!Object.hasOwn(saved?.tools ?? {}, name)) await waitForTool(name, access, signal);
    const choices = resolveChoices(request.tools ?? {}, { toolbox: access.toolbox(), gpt, tools: saved?.tools });
    if (typeof choices === "string") return choices;
    const reading = resultReading(model.summary);
    const conversation = await openTranscript(
      {
        ...(request.sessionId !== undefined && { id: request.sessionId, begun }),
        ...(gptKey !== undefined && { gpt: gptKey }),
        title: promptText(request),
        model: model.summary.name,
        ...(request.tools !== undefined && { tools: choices }),
      },
      {
        sessions: store.sessions,
        loadCall: (id) => store.calls.load(id),
        clock: deps.clock,
        newId: deps.newId,
        redact: deps.redact,
        inTurn: deps.inTurn,
        shorten: (text, callId) => excerpt(text, 0, callId, reading),
      },
    );
    if (conversation === undefined)
      return `There is no session '${request.sessionId}'. It may have been removed, or belong to another data folder`;
    return createRunContext({ runId, request, setting, model, gpt, conversation }, deps, signal);
  };
}
