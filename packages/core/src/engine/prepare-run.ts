import { type CallPorts, type CallScene, callTool } from "../call/call-tool.ts";
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
import { resultReading } from "../runs/read-result.ts";
import { createRequestTools } from "../runs/request-tools.ts";
import { excerpt } from "../runs/result-for-model.ts";
import type { RunScene } from "../runs/run-prompt.ts";
import type { SearchTools } from "../runs/select-tools.ts";
import { chooseTools } from "../sessions/choose-tools.ts";
import { missingServersText } from "../sessions/missing-servers.ts";
import { nameChoices } from "../sessions/name-tools.ts";
import { type OpenSession, openSession } from "../sessions/open-session.ts";
import type { CallSetting } from "./call-scene.ts";
import type { Overlay } from "./overlay.ts";
import type { Reach } from "./reach.ts";
import { toCaller } from "./to-caller.ts";

export interface PreparePorts {
  readonly models: Models | undefined;
  readonly store: Store;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly redact: CallPorts["redact"];
  /** What a session can reach; without one, what the agent can. */
  readonly reachOf: (sessionId: string | undefined) => Reach;
  readonly overlayOf: (sessionId: string | undefined) => Overlay | undefined;
  readonly callPorts: (setting: CallSetting) => CallPorts;
  readonly scene: (setting: CallSetting) => CallScene;
  readonly findGpt: (key: string) => Promise<Gpt | undefined>;
  readonly search: SearchTools;
  readonly searchSettings: () => SearchSettings;
  /** Whether models may see it. */
  readonly isOffered: (tool: RegisteredTool, reach: Reach) => boolean;
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
) => Promise<RunScene | string>;

/** Finds and opens everything one run works with; a text says what there is not. */
export function createRunPreparer(ports: PreparePorts): PrepareRun {
  const { store } = ports;

  async function openModel(name: string | undefined): Promise<Model | string> {
    if (ports.models === undefined) return "No model can be asked here";
    const opened = await ports.models.open(name);
    return opened.kind === "opened" ? opened.model : opened.message;
  }

  function sceneFor(
    runId: string,
    request: RunRequest,
    { attended, caller, mode }: RunSetting,
    { model, gpt, conversation }: { model: Model; gpt: Gpt | undefined; conversation: OpenSession },
    signal: AbortSignal,
  ): RunScene {
    const sessionId = conversation.session.id;
    const reach = ports.reachOf(sessionId);
    const overlay = ports.overlayOf(sessionId);
    const waitedFor = overlay?.connecting() ?? [];
    const toolbox = chosenTools(conversation.session, reach, gpt);
    const calledBy = toCaller(caller, sessionId, ports.redact);
    const setting = (): CallSetting => ({
      approvalMode: mode() ?? request.approvalMode ?? gpt?.approval ?? "auto",
      attended,
      reach,
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
          settings: ports.searchSettings(),
          search: (query, among, limit) => ports.search(query, among, limit, signal),
          isOffered: (tool) => ports.isOffered(tool, reach),
          loadCall: (id) => store.calls.load(id),
        }),
      conversation,
      newId: ports.newId,
      now: () => new Date(ports.clock.now()).toISOString(),
      async makeCall(id, call, hear) {
        const used = setting();
        const stopHearing = ports.watch(id, hear);
        try {
          return await reach.flight.track(
            signal,
            (stop) => callTool(id, call, ports.scene(used), ports.callPorts(used), stop),
            id,
          );
        } finally {
          stopHearing();
        }
      },
    };
  }

  return async (runId, request, setting, signal) => {
    const begun = ports.overlayOf(request.sessionId)?.session();
    const saved =
      request.sessionId === undefined ? undefined : ((await store.sessions.load(request.sessionId)) ?? begun);
    const gptKey = request.gpt ?? saved?.gpt;
    const gpt = gptKey === undefined ? undefined : await ports.findGpt(gptKey);
    if (gptKey !== undefined && gpt === undefined)
      return `There is no GPT '${gptKey}'. GPTs are those of the config file and those you saved`;
    const model = await openModel(request.model ?? gpt?.model ?? saved?.model);
    if (typeof model === "string") return model;
    const reach = ports.reachOf(request.sessionId);
    const choices = nameChoices(request.tools ?? {}, { toolbox: reach.toolbox(), gpt, tools: saved?.tools });
    if (typeof choices === "string") return choices;
    const reading = resultReading(reach.toolbox(), model.summary);
    const conversation = await openSession(
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
        clock: ports.clock,
        newId: ports.newId,
        redact: ports.redact,
        shorten: (text, callId) => excerpt(text, 0, callId, reading),
      },
    );
    if (conversation === undefined)
      return `There is no session '${request.sessionId}'. It may have been removed, or be kept elsewhere`;
    return sceneFor(runId, request, setting, { model, gpt, conversation }, signal);
  };
}

/** What the session may use, worked out anew only when something changed. */
function chosenTools({ tools }: Session, reach: Reach, gpt: Gpt | undefined): () => Toolbox {
  let all: Toolbox | undefined;
  let chosen = EMPTY_TOOLBOX;
  return () => {
    const present = reach.toolbox();
    if (present !== all) chosen = chooseTools(present, gpt, tools);
    all = present;
    return chosen;
  };
}

function textOf({ prompt }: RunRequest): string {
  return prompt.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ");
}
