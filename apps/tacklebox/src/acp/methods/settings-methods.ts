import type { ClientSession } from "../client-sessions.ts";
import { readMembers, readText } from "../read-params.ts";
import { RpcError } from "../rpc/rpc-error.ts";
import { choose, toConfigOptions, toModes } from "../settings.ts";
import { type Method, type MethodDeps, type Methods, sendSettings } from "./method.ts";

/** The methods with which a person sets a session's approval mode, model and GPT. */
export function createSettingsMethods(deps: MethodDeps): Methods {
  const { door, sessions, notify } = deps;

  async function set(session: ClientSession, option: string, value: string): Promise<void> {
    const chosen = choose(session.settings, option, value, door.choices());
    if (typeof chosen === "string") throw new RpcError("params", chosen);
    session.settings = chosen;
    if (option === "mode" && chosen.mode !== undefined) await session.opened?.setApprovalMode(chosen.mode);
  }

  const setMode: Method = async (params) => {
    const session = sessions.named(params);
    await set(session, "mode", readText(params, "modeId"));
    return { result: {}, after: () => sendSettings(session, deps) };
  };

  const setOption: Method = async (params) => {
    const session = sessions.named(params);
    const before = toModes(session.settings, door.choices()).currentModeId;
    await door.untilChoicesAreKnown();
    await set(session, readText(params, "configId"), readText(params, "value"));
    const { currentModeId } = toModes(session.settings, door.choices());
    return {
      result: { configOptions: toConfigOptions(session.settings, door.choices()) },
      after() {
        if (currentModeId === before) return;
        notify(session.id, { sessionUpdate: "current_mode_update", currentModeId });
      },
    };
  };

  /** Predates the model's config option; some editors still send it. */
  const setModel: Method = async (params, signal) => {
    const { sessionId, modelId } = readMembers(params);
    await setOption({ sessionId, configId: "model", value: modelId }, signal);
    return { result: {} };
  };

  return {
    "session/set_mode": setMode,
    "session/set_config_option": setOption,
    "session/set_model": setModel,
  };
}
