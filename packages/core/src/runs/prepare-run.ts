import type { CallSettings } from "../call/call-context.ts";
import { type CallContext, type CallDeps, callTool } from "../call/call-tool.ts";
import { toCaller } from "../call/to-caller.ts";
import type { ApprovalMode } from "../domain/approval.ts";
import type { Caller } from "../domain/caller.ts";
import type { CallEvent } from "../domain/events.ts";
import type { Gpt } from "../domain/gpt.ts";
import type { RunRequest } from "../domain/run.ts";
import type { SearchSettings } from "../domain/search-settings.ts";
import type { Session } from "../domain/session.ts";
import { EMPTY_TOOLBOX, type RegisteredTool, type Toolbox } from "../domain/tool.ts";
import type { Clock } from "../ports/clock.ts";
import type { Model, Models } from "../ports/model.ts";
import type { Store } from "../ports/store.ts";
import type { Access } from "../servers/access.ts";
import { missingServersText } from "../sessions/missing-servers.ts";
import type { Overlay } from "../sessions/overlay.ts";
import { openTranscript, type Transcript } from "../sessions/transcript.ts";
import { chooseTools } from "../toolbox/choose-tools.ts";
import { nameChoices } from "../toolbox/name-tools.ts";
import type { SearchTools } from "../toolbox/search/search-tools.ts";
import { resultReading } from "./read-result.ts";
import { createRequestTools } from "./request-tools.ts";
import { excerpt } from "./result-for-model.ts";
import type { RunContext } from "./run-prompt.ts";

export interface PrepareDeps {
  readonly models: Models | undefined;
  readonly store: Store;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly redact: CallDeps["redact"];
  /** What a session can reach; without one, what the agent can. */
  readonly accessOf: (sessionId: string | undefined) => Access;
  readonly overlayOf: (sessionId: string | undefined) => Overlay | undefined;
  readonly callDeps: (setting: CallSettings) => CallDeps;
  readonly context: (setting: CallSettings) => CallContext;
  readonly findGpt: (key: string) => Promise<Gpt | undefined>;
  readonly search: SearchTools;
  readonly searchSettings: () => SearchSettings;
  /** Whether models may see it. */
  readonly isOffered: (tool: RegisteredTool, access: Access) => boolean;
  /** Whoever made a call hears what is told of it. Returns how to stop that. */
  readonly watch: (callId: string, listener: (event: CallEvent) => void) => () => void;
}

/** Who is behind the door while a run goes on. */
export interface RunSetting {
  readonly attended: boolean;
  readonly caller: Caller | undefined;
  /** What they said meanwhile, if anything: asked before each call. */
  readonly mode: () => ApprovalMode | undefined;
}

export type PrepareRun = (
  runId: string,
  request: RunRequest,
  setting: RunSetting,
  signal: AbortSignal,
) => Promise<RunContext | string>;

/** Finds and opens everything one run works with; a text says what there is not. */
export function createRunPreparer(deps: PrepareDeps): PrepareRun {
  const { store } = deps;

  async function openModel(name: string | undefined): Promise<Model | string> {
    if (deps.models === undefined) return "No model can be asked here";
    const opened = await deps.models.open(name);
    return opened.kind === "opened" ? opened.model : opened.message;
  }

  function sceneFor(
    runId: string,
    request: RunRequest,
    { attended, caller, mode }: RunSetting,
    { model, gpt, conversation }: { model: Model; gpt: Gpt | undefined; conversation: Transcript },
    signal: AbortSignal,
  ): RunContext {
    const sessionId = conversation.session.id;
    const access = deps.accessOf(sessionId);
    const overlay = deps.overlayOf(sessionId);
    const waitedFor = overlay?.connecting() ?? [];
    const toolbox = chosenTools(conversation.session, access, gpt);
    const calledBy = toCaller(caller, sessionId, deps.redact);
    const setting = (): CallSettings => ({
      approvalMode: mode() ?? request.approvalMode ?? gpt?.approval ?? "auto",
      attended,
      access,
      toolbox: toolbox(),
      sessionId,
      caller: calledBy,
      ...(gpt !== undefined && { gpt }),
    });
    return {
      runId,
      model,
      waiting:
        overlay === undefined || waitedFor.length === 0
          ? undefined
          : { servers: waitedFor, over: overlay.ready(signal) },
      // Read anew each time: servers come and go while a run goes on.
      get instructions() {
        const missing = missingServersText(overlay?.missing() ?? []);
        return [gpt?.instructions ?? "", missing].filter((text) => text !== "").join("\n\n");
      },
      openTools: () =>
        createRequestTools({
          toolbox,
          prompt: textOf(request),
          messages: conversation.messages(),
          model: model.summary,
          settings: deps.searchSettings(),
          search: (query, among, limit) => deps.search(query, among, limit, signal),
          isOffered: (tool) => deps.isOffered(tool, access),
          loadCall: (id) => store.calls.load(id),
        }),
      conversation,
      newId: deps.newId,
      now: () => new Date(deps.clock.now()).toISOString(),
      async makeCall(id, call, hear) {
        const used = setting();
        const stopHearing = deps.watch(id, hear);
        try {
          return await access.flight.track(
            signal,
            (stop) => callTool(id, call, deps.context(used), deps.callDeps(used), stop),
            id,
          );
        } finally {
          stopHearing();
        }
      },
    };
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
    const choices = nameChoices(request.tools ?? {}, { toolbox: access.toolbox(), gpt, tools: saved?.tools });
    if (typeof choices === "string") return choices;
    const reading = resultReading(access.toolbox(), model.summary);
    const conversation = await openTranscript(
      {
        ...(request.sessionId !== undefined && { id: request.sessionId, begun }),
        ...(gptKey !== undefined && { gpt: gptKey }),
        title: textOf(request),
        model: model.summary.name,
        ...(request.tools !== undefined && { tools: choices }),
      },
      {
        sessions: store.sessions,
        loadCall: (id) => store.calls.load(id),
        clock: deps.clock,
        newId: deps.newId,
        redact: deps.redact,
        shorten: (text, callId) => excerpt(text, 0, callId, reading),
      },
    );
    if (conversation === undefined)
      return `There is no session '${request.sessionId}'. It may have been removed, or be kept elsewhere`;
    return sceneFor(runId, request, setting, { model, gpt, conversation }, signal);
  };
}

/** What the session may use, worked out anew only when something changed. */
function chosenTools({ tools }: Session, access: Access, gpt: Gpt | undefined): () => Toolbox {
  let all: Toolbox | undefined;
  let chosen = EMPTY_TOOLBOX;
  return () => {
    const present = access.toolbox();
    if (present !== all) chosen = chooseTools(present, gpt, tools);
    all = present;
    return chosen;
  };
}

function textOf({ prompt }: RunRequest): string {
  return prompt.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ");
}
