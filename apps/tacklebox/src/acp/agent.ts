import type { InitializeResponse } from "@agentclientprotocol/sdk";
import { VERSION } from "../version.ts";
import { type Client, toClient, UNKNOWN_CLIENT } from "./abilities.ts";
import { createClientSessions } from "./client-sessions.ts";
import type { AcpDoor } from "./door.ts";
import type { EditorSession, SessionRequest } from "./editor-session.ts";
import { createLazyDoor } from "./lazy-door.ts";
import { type Method, type MethodDeps, sendSettings } from "./methods/method.ts";
import { createPromptMethod } from "./methods/prompt-method.ts";
import { createSessionMethods } from "./methods/session-methods.ts";
import { createSettingsMethods } from "./methods/settings-methods.ts";
import { readMembers } from "./read-params.ts";
import { isObject } from "./rpc/is-object.ts";
import type { PeerHooks } from "./rpc/peer.ts";
import { RpcError } from "./rpc/rpc-error.ts";
import type { Settings } from "./settings.ts";

/** The parts that need the engine, which is loaded only after the first answers are sent. */
export interface AgentDeps {
  /** Called once, when the engine is first needed. */
  readonly openDoor: (client: Client) => Promise<AcpDoor>;
  readonly openSession: (request: SessionRequest, door: AcpDoor, client: Client) => Promise<EditorSession>;
  readonly notify: (sessionId: string, update: object) => void;
  readonly newId: () => string;
  /** The settings of a new session. */
  readonly settings: Settings;
}

export interface Agent extends Pick<PeerHooks, "answer" | "onNotification"> {
  /** Ends every session, and the engine if it was opened. */
  close(): Promise<void>;
}

const INITIALIZE_RESPONSE: InitializeResponse = {
  protocolVersion: 1,
  agentInfo: { name: "tacklebox", title: "Tacklebox", version: VERSION },
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: { image: true, audio: false, embeddedContext: true },
    mcpCapabilities: { http: true, sse: true },
    sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
  },
  authMethods: [],
};

/** Answers the methods of ACP v1. Knows the engine only through its deps. */
export function createAgent({ openDoor, openSession, notify, newId, settings }: AgentDeps): Agent {
  let client: Client | undefined;
  const currentClient = () => client ?? UNKNOWN_CLIENT;
  const door = createLazyDoor(
    () => openDoor(currentClient()),
    // Once the choices are known, they are sent to every session.
    () => {
      for (const session of sessions.list()) sendSettings(session, deps);
    },
  );
  const sessions = createClientSessions({
    door,
    openSession: (request, opened) => openSession(request, opened, currentClient()),
  });
  const deps: MethodDeps = { door, sessions, notify };
  const methods: ReadonlyMap<string, Method> = new Map(
    Object.entries({
      ...createSessionMethods({ ...deps, newId, settings }),
      ...createSettingsMethods(deps),
      "session/prompt": createPromptMethod(deps),
    }),
  );

  function initialize(params: unknown): InitializeResponse {
    const { clientInfo, clientCapabilities } = readMembers(params);
    client = toClient(clientInfo, clientCapabilities);
    return INITIALIZE_RESPONSE;
  }

  return {
    async answer(method, params, signal) {
      if (method === "initialize") return { result: initialize(params) };
      if (client === undefined) throw new RpcError("request", "The first request must be initialize");
      const known = methods.get(method);
      if (known === undefined) throw new RpcError("method", `There is no method '${method}'`);
      return known(params, signal);
    },
    onNotification(method, params) {
      const id = isObject(params) ? params.sessionId : undefined;
      if (method === "session/cancel" && typeof id === "string") sessions.find(id)?.turn?.stop();
    },
    async close() {
      for (const { id } of sessions.list()) sessions.detach(id);
      await door.close();
    },
  };
}
