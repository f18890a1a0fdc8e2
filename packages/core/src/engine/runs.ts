import { type CallPorts, type CallScene, callTool } from "../call/call-tool.ts";
import type { EngineEvent } from "../domain/events.ts";
import type { Gpt } from "../domain/gpt.ts";
import type { RunEvent, RunOptions, RunRequest } from "../domain/run.ts";
import type { SearchSettings } from "../domain/search-settings.ts";
import type { Session } from "../domain/session.ts";
import { toAbortSignal } from "../domain/stop.ts";
import { EMPTY_TOOLBOX, type RegisteredTool, type Toolbox } from "../domain/tool.ts";
import type { Model, Models } from "../ports/model.ts";
import type { Store } from "../ports/store.ts";
import { resultReading } from "../runs/read-result.ts";
import { createRequestTools } from "../runs/request-tools.ts";
import { excerpt } from "../runs/result-for-model.ts";
import { type RunScene, runPrompt } from "../runs/run-prompt.ts";
import type { SearchTools } from "../runs/select-tools.ts";
import { chooseTools } from "../sessions/choose-tools.ts";
import { missingServersText } from "../sessions/missing-servers.ts";
import { nameChoices } from "../sessions/name-tools.ts";
import { type OpenSession, openSession, SessionNotKept } from "../sessions/open-session.ts";
import type { CallSetting } from "./call-scene.ts";
import type { Overlay } from "./overlay.ts";
import type { Reach } from "./reach.ts";

export interface RunsPorts {
  readonly models: Models | undefined;
  readonly store: Store;
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
  readonly emit: (event: EngineEvent) => void;
}

/** Who is behind the door while a run goes on. */
interface Present {
  readonly attended: boolean;
  readonly approvalMode: RunOptions["approvalMode"];
}

/** Runs of this engine: at most one at a time per session, all of them ended with it. */
export function createRuns(ports: RunsPorts): (request: RunRequest, options?: RunOptions) => AsyncIterable<RunEvent> {
  const busy = new Set<string>();

  async function* work(request: RunRequest, options: Present, signal: AbortSignal): AsyncGenerator<RunEvent, void> {
    let { sessionId } = request;
    if (sessionId !== undefined && busy.has(sessionId)) {
      const message = `Session '${sessionId}' is busy with another prompt. Wait for its end, or cancel it`;
      return yield { type: "run-ended", end: { reason: "not-started", message } };
    }
    if (sessionId !== undefined) busy.add(sessionId);
    try {
      const prepared = await prepare(request, options, signal);
      if (typeof prepared === "string")
        return yield { type: "run-ended", end: { reason: "not-started", message: prepared } };
      sessionId = prepared.conversation.session.id;
      busy.add(sessionId);
      yield* runPrompt(request, prepared, signal);
      ports.emit({ type: "session-changed", sessionId });
    } catch (error) {
      if (!(error instanceof SessionNotKept)) throw error;
      yield { type: "run-ended", end: { reason: "session-not-kept", message: error.message } };
    } finally {
      if (sessionId !== undefined) busy.delete(sessionId);
    }
  }

  async function prepare(request: RunRequest, options: Present, signal: AbortSignal): Promise<RunScene | string> {
    const { store } = ports;
    const { attended } = options;
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
    const callPorts = ports.callPorts({ approvalMode: "auto", attended, reach, toolbox: reach.toolbox() });
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
        clock: callPorts.clock,
        newId: callPorts.newId,
        redact: callPorts.redact,
        shorten: (text, callId) => excerpt(text, 0, callId, reading),
      },
    );
    if (conversation === undefined)
      return `There is no session '${request.sessionId}'. It may have been removed, or be kept elsewhere`;
    return sceneFor(request, options, { model, gpt, conversation }, signal);
  }

  async function openModel(name: string | undefined): Promise<Model | string> {
    if (ports.models === undefined) return "No model can be asked here";
    const opened = await ports.models.open(name);
    return opened.kind === "opened" ? opened.model : opened.message;
  }

  function sceneFor(
    request: RunRequest,
    { attended, approvalMode }: Present,
    { model, gpt, conversation }: { model: Model; gpt: Gpt | undefined; conversation: OpenSession },
    signal: AbortSignal,
  ): RunScene {
    const sessionId = conversation.session.id;
    const reach = ports.reachOf(sessionId);
    const overlay = ports.overlayOf(sessionId);
    const waitedFor = overlay?.connecting() ?? [];
    const toolbox = chosenTools(conversation.session, reach, gpt);
    const setting = (): CallSetting => ({
      approvalMode: approvalMode?.() ?? request.approvalMode ?? gpt?.approval ?? "auto",
      attended,
      reach,
      toolbox: toolbox(),
      sessionId,
      ...(gpt !== undefined && { gpt }),
    });
    const { newId } = ports.callPorts(setting());
    return {
      runId: newId(),
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
      get toolbox() {
        return toolbox();
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
          loadCall: (id) => ports.store.calls.load(id),
        }),
      conversation,
      newId,
      makeCall(id, request, hear) {
        const used = setting();
        const base = ports.callPorts(used);
        const emit = (event: EngineEvent) => {
          base.emit(event);
          hear.event(event);
        };
        return reach.flight.track(signal, (stop) =>
          callTool(request, ports.scene(used), { ...base, newId: () => id, emit }, stop, hear.progress),
        );
      },
    };
  }

  return (request, { signal, attended = false, approvalMode } = {}) => ({
    [Symbol.asyncIterator]() {
      let stop: () => void = () => undefined;
      let settle: () => void = () => undefined;
      let events: AsyncGenerator<RunEvent, void> | undefined;
      const begin = () => {
        // The run counts as in flight until it is over, so that stopping the engine waits for it and then ends it.
        void ports.reachOf(request.sessionId).flight.track(signal, (stopping) => {
          stop = () => stopping.abort();
          events = work(request, { attended, approvalMode }, toAbortSignal(stopping));
          return new Promise<void>((resolve) => {
            settle = resolve;
          });
        });
      };
      const next = async (): Promise<IteratorResult<RunEvent, void>> => {
        try {
          if (events === undefined) begin();
          const step = await events?.next();
          if (step?.done !== false) settle();
          return step ?? { done: true, value: undefined };
        } catch (error) {
          settle();
          throw error;
        }
      };
      return {
        next,
        /** Whoever stops listening stops the run; what it began is brought to its end first. */
        async return() {
          stop();
          while (events !== undefined && (await next()).done !== true);
          return { done: true, value: undefined };
        },
      };
    },
  });
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
