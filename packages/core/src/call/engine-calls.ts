import type { Stop } from "../async/stop.ts";
import type { CallRequest } from "../domain/call.ts";
import { EngineError } from "../domain/failure.ts";
import { toPage } from "../domain/page.ts";
import { EMPTY_TOOLBOX, type Toolbox } from "../domain/tool.ts";
import type { EngineCalls } from "../engine.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import type { CallLog } from "../ports/store.ts";
import { redactJson } from "../secrets/redact.ts";
import type { Access } from "../servers/access.ts";
import type { FirstConnection } from "../servers/first-connections.ts";
import type { CallSettings } from "./call-context.ts";
import { type CallContext, type CallDeps, callTool } from "./call-tool.ts";
import type { CallsInFlight } from "./calls-in-flight.ts";
import { MAX_QUEUE_LENGTH } from "./slots/rooms.ts";
import { toCaller } from "./to-caller.ts";
import { serversToWaitFor, waitForServers } from "./wait-for-servers.ts";

export interface EngineCallsDeps {
  readonly log: CallLog;
  readonly newId: () => string;
  readonly redact: Redactor;
  /** All running calls, including those of sessions. */
  readonly flight: Pick<CallsInFlight, "stop" | "isRunning">;
  readonly accessOf: (sessionId: string | undefined) => Access;
  readonly context: (setting: CallSettings) => CallContext;
  readonly callDeps: (setting: CallSettings) => CallDeps;
}

/** The settings of a call before it is known from which toolbox it is made. */
type AskedCall = Omit<CallSettings, "toolbox">;

export function createEngineCalls(deps: EngineCallsDeps): EngineCalls {
  const { log, flight, newId, redact } = deps;

  /** How many calls wait for each server. */
  const waiting = new Map<FirstConnection, number>();

  /** Waits for the servers that could change what a request means; resolves to one for which too many calls wait. */
  async function waitInTurn(request: CallRequest, access: Access, stop: Stop): Promise<string | undefined> {
    const wanted = { request, access, toolbox: access.peek };
    const awaited = serversToWaitFor(wanted);
    const crowded = awaited.find((server) => (waiting.get(server) ?? 0) >= MAX_QUEUE_LENGTH);
    if (crowded !== undefined) return crowded.entry.definition.name;
    for (const server of awaited) waiting.set(server, (waiting.get(server) ?? 0) + 1);
    try {
      await waitForServers(wanted, stop);
    } finally {
      for (const server of awaited) {
        const left = (waiting.get(server) ?? 1) - 1;
        if (left > 0) waiting.set(server, left);
        else waiting.delete(server);
      }
    }
    return undefined;
  }

  /** Makes a call once the servers that could change what it means have joined or failed. */
  function makeInTime(id: string, request: CallRequest, asked: AskedCall, signal: AbortSignal | undefined) {
    const { access } = asked;
    const call = async (stop: Stop) => {
      const crowdedServer = await waitInTurn(request, access, stop);
      // Nobody knows what the request means, so it can be no call of any tool.
      const toolbox = crowdedServer === undefined ? access.toolbox() : EMPTY_TOOLBOX;
      const setting = { ...asked, toolbox, crowdedServer };
      useName(request, access, toolbox);
      return callTool(id, request, deps.context(setting), deps.callDeps(setting), stop);
    };
    return access.tracker.track(signal, call, id);
  }

  /** Makes a call under the caller's id. Kept apart because most calls bring no id and need no lookup. */
  async function makeAs(id: string, ...rest: [CallRequest, AskedCall, AbortSignal | undefined]) {
    if (!CALL_ID.test(id))
      throw new EngineError("invalid", "A call's id must be 1 to 100 letters, digits or the characters _ - . :");
    const known = await log.load(id);
    if (known !== undefined || flight.isRunning(id))
      throw new EngineError("conflict", `There is a call '${id}' already. Use another id, or none`);
    return makeInTime(id, ...rest);
  }

  return {
    make(request, options = {}) {
      const { signal, approvalMode = "auto", attended = false, sessionId, onLargeOutcome } = options;
      const access = deps.accessOf(sessionId);
      const caller = toCaller(options.caller, sessionId, redact);
      const asked: AskedCall = { approvalMode, attended, access, sessionId, caller, onLargeOutcome };
      if (request.id !== undefined) return makeAs(request.id, request, asked, signal);
      const id = newId();
      if (access.coming().length > 0) return makeInTime(id, request, asked, signal);
      // Almost every call: there is nothing to wait for, so nothing is copied and no promise is awaited.
      const toolbox = access.toolbox();
      useName(request, access, toolbox);
      const setting: CallSettings = { approvalMode, attended, access, toolbox, sessionId, caller, onLargeOutcome };
      return access.tracker.track(
        signal,
        (stop) => callTool(id, request, deps.context(setting), deps.callDeps(setting), stop),
        id,
      );
    },
    cancel: async (id) => flight.stop(id),
    // Records were redacted when they were saved, but some of their text may have become a secret since.
    get: async (id) => redactJson(redact, await log.load(id)),
    async list(query) {
      const found = await log.list({ ...query, limit: query.limit + 1 });
      return redactJson(
        redact,
        toPage(found, query.limit, ({ id }) => id),
      );
    },
  };
}

/** From the first call on, a name means the tool that was called by it. */
function useName({ tool, server }: CallRequest, access: Access, { tools }: Toolbox): void {
  const named = server === undefined ? tools.get(tool) : undefined;
  if (named !== undefined) access.use(named);
}

/** Characters that are safe in every store, log and URL. */
const CALL_ID = /^[A-Za-z0-9_.:-]{1,100}$/;
