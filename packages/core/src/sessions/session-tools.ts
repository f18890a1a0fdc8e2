import type { SerialPerKey } from "../async/serial.ts";
import type { EngineEvent } from "../domain/events.ts";
import { type Answer, failed } from "../domain/failure.ts";
import type { Gpt } from "../domain/gpt.ts";
import type { Session, ToolChoice } from "../domain/session.ts";
import type { Toolbox } from "../domain/tool.ts";
import { resolveChoice } from "../toolbox/resolve-choices.ts";

export interface SessionToolsDeps {
  readonly load: (id: string) => Promise<Session | undefined>;
  readonly save: (session: Session) => Promise<void>;
  readonly toolboxOf: (sessionId: string) => Toolbox;
  readonly findGpt: (key: string) => Promise<Gpt | undefined>;
  readonly emit: (event: EngineEvent) => void;
  /** Runs changes of one session one at a time. */
  readonly inTurn: SerialPerKey;
}

/** Adds tools to sessions and removes them by hand. */
export function createSessionTools({ load, save, toolboxOf, findGpt, emit, inTurn }: SessionToolsDeps) {
  async function setTool(sessionId: string, name: string, choice?: ToolChoice): Promise<Answer<Session>> {
    const session = await load(sessionId);
    if (session === undefined) return failed("not-found", `There is no session '${sessionId}'`);
    const gpt = session.gpt === undefined ? undefined : await findGpt(session.gpt);
    const resolution = resolveChoice(name, choice, { toolbox: toolboxOf(sessionId), gpt, tools: session.tools });
    if (resolution.kind === "refused") return failed(resolution.code, resolution.message);
    const { [resolution.key]: _before, ...others } = session.tools ?? {};
    const changed = { ...session, tools: choice === undefined ? others : { ...others, [resolution.key]: choice } };
    await save(changed);
    emit({ type: "session-changed", sessionId });
    return { kind: "ok", value: changed };
  }
  return (sessionId: string, name: string, choice?: ToolChoice) =>
    inTurn(sessionId, () => setTool(sessionId, name, choice));
}
