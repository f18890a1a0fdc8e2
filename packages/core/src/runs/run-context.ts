import type { CallSettings } from "../call/call-context.ts";
import { type CallContext, type CallDeps, callTool } from "../call/call-tool.ts";
import { recordText } from "../call/result-text.ts";
import { toCaller } from "../call/to-caller.ts";
import { waitForServers } from "../call/wait-for-servers.ts";
import type { ApprovalMode } from "../domain/approval.ts";
import type { CallRecord } from "../domain/call.ts";
import type { Caller } from "../domain/caller.ts";
import type { CallEvent } from "../domain/events.ts";
import type { Gpt } from "../domain/gpt.ts";
import type { RunRequest } from "../domain/run.ts";
import type { SearchSettings } from "../domain/search-settings.ts";
import type { Session } from "../domain/session.ts";
import { EMPTY_TOOLBOX, type RegisteredTool, type Toolbox } from "../domain/tool.ts";
import { timeOf } from "../platform/time-of.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Model } from "../ports/model.ts";
import type { Store } from "../ports/store.ts";
import type { Access } from "../servers/access.ts";
import { comingServersText, missingServersText } from "../sessions/missing-servers.ts";
import type { Overlay } from "../sessions/overlay.ts";
import type { Transcript } from "../sessions/transcript.ts";
import { chooseTools } from "../toolbox/choose-tools.ts";
import type { SearchTools } from "../toolbox/search/search-tools.ts";
import { createComingServers } from "./coming-servers.ts";
import { createHeldResults } from "./held-results.ts";
import { createRequestTools } from "./request-tools.ts";
import { createDefinitionReview, NO_REVIEW } from "./review-definitions.ts";
import type { RunContext } from "./run-prompt.ts";
import { createSentTools } from "./sent-tools.ts";

export interface RunContextDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly logger: Logger;
  readonly redact: CallDeps["redact"];
  /** See KnownSecrets. */
  readonly secretsVersion: () => number;
  /** What a session can use; without a session, what the agent can. */
  readonly accessOf: (sessionId: string | undefined) => Access;
  readonly overlayOf: (sessionId: string | undefined) => Overlay | undefined;
  readonly callDeps: (setting: CallSettings) => CallDeps;
  readonly keepResultBytes: () => number;
  readonly context: (setting: CallSettings) => CallContext;
  readonly search: SearchTools;
  readonly searchSettings: () => SearchSettings;
  /** Whether models may see the tool. */
  readonly isOffered: (tool: RegisteredTool, access: Access) => boolean;
  /** Calls the listener for every event about one call. Returns a function that stops it. */
  readonly watch: (callId: string, listener: (event: CallEvent) => void) => () => void;
}

/** How the door that started a run lets its calls be approved. */
export interface RunSettings {
  readonly attended: boolean;
  /** Resolves when the door has shown the definitions it is told of next; undefined if it shows none. */
  readonly shown: (() => Promise<void>) | undefined;
  readonly caller: Caller | undefined;
  /** The approval mode a person chose since the run began, if any; read before each call. */
  readonly mode: () => ApprovalMode | undefined;
}

/** The inputs of one run: its request, and what was looked up and opened for it. */
export interface RunParts {
  readonly runId: string;
  readonly request: RunRequest;
  readonly setting: RunSettings;
  readonly model: Model;
  readonly gpt: Gpt | undefined;
  readonly conversation: Transcript;
}

/** Builds everything that one run works with. */
export function createRunContext(
  { runId, request, setting, model, gpt, conversation }: RunParts,
  deps: RunContextDeps,
  signal: AbortSignal,
): RunContext {
  const { attended, shown, caller, mode } = setting;
  const sessionId = conversation.session.id;
  const access = deps.accessOf(sessionId);
  const overlay = deps.overlayOf(sessionId);
  const waitedFor = overlay?.connecting() ?? [];
  const coming = createComingServers(access.coming, deps.clock, signal);
  const toolbox = chosenTools(conversation.session, access, gpt);
  const isOffered = (tool: RegisteredTool) => deps.isOffered(tool, access);
  let review = NO_REVIEW;
  const isSeen = (tool: RegisteredTool) => review.isSeen(tool);
  const sent = createSentTools({ access, toolbox, isOffered, isSeen });
  // Characters have up to six bytes in a record.
  const held = createHeldResults((characters) => characters * 6 <= deps.keepResultBytes());
  const calledBy = toCaller(caller, sessionId, deps.redact);
  const approvalMode = () => mode() ?? request.approvalMode ?? gpt?.approval ?? "auto";
  const callSettings = (): Omit<CallSettings, "toolbox"> => ({
    approvalMode: approvalMode(),
    attended,
    access,
    sessionId,
    caller: calledBy,
    ...(gpt !== undefined && { gpt }),
  });
  return {
    runId,
    model,
    waiting:
      overlay === undefined || waitedFor.length === 0 ? undefined : { servers: waitedFor, over: overlay.ready(signal) },
    // Computed on every read: servers come and go during a run.
    get instructions() {
      const connecting = coming.names();
      const missing = (overlay?.missing() ?? []).filter((name) => !connecting.includes(name));
      const texts = [gpt?.instructions ?? "", comingServersText(connecting), missingServersText(missing)];
      return texts.filter((text) => text !== "").join("\n\n");
    },
    shown,
    openReview() {
      const isNeeded = approvalMode() !== "auto";
      if (!isNeeded) review = NO_REVIEW;
      else if (review === NO_REVIEW)
        review = createDefinitionReview({
          access,
          toolbox,
          isOffered: (tool) => isOffered(tool) && !sent.wasGiven(tool),
          definitions: deps.store.definitions,
          knownSecrets: { redact: deps.redact, version: deps.secretsVersion },
        });
      return review;
    },
    openTools: () =>
      createRequestTools({
        toolbox,
        prompt: promptText(request),
        messages: conversation.messages(),
        model: model.summary,
        settings: deps.searchSettings(),
        search: (query, among, limit) => deps.search(query, among, limit, signal),
        isOffered: (tool) => isOffered(tool) && isSeen(tool),
        noteGiven: sent.note,
        loadText: async (id) => held.find(id) ?? recordedText(await deps.store.calls.load(id)),
        redact: deps.redact,
        coming,
      }),
    conversation,
    newId: deps.newId,
    logger: deps.logger,
    now: () => new Date(timeOf(deps.clock)).toISOString(),
    async makeCall(id, call, onEvent) {
      const stopWatching = deps.watch(id, onEvent);
      try {
        const outcome = await access.tracker.track(
          signal,
          async (stop) => {
            // What the model was given is called with its server; any other name means whatever has it now.
            await waitForServers({ request: sent.withServer(call), access, toolbox, isForPresent: true }, stop);
            const { request: meant, toolbox: usable } = sent.resolve(call);
            const used = { ...callSettings(), toolbox: usable };
            return callTool(id, meant, deps.context(used), deps.callDeps(used), stop);
          },
          id,
        );
        held.add(outcome);
        return outcome;
      } finally {
        stopWatching();
      }
    },
  };
}

function recordedText(record: CallRecord | undefined): string | undefined {
  return record === undefined ? undefined : recordText(record);
}

/** Returns the tools the session may use, recomputed only when the caller's toolbox changed. */
function chosenTools({ tools }: Session, access: Access, gpt: Gpt | undefined): () => Toolbox {
  let chosenFrom: Toolbox | undefined;
  let chosen = EMPTY_TOOLBOX;
  return () => {
    const current = access.toolbox();
    if (current !== chosenFrom) chosen = chooseTools(current, gpt, tools);
    chosenFrom = current;
    return chosen;
  };
}

export function promptText({ prompt }: RunRequest): string {
  return prompt.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ");
}
