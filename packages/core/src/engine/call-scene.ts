import type { CallScene } from "../call/call-tool.ts";
import type { ApprovalMode } from "../domain/approval.ts";
import type { Caller } from "../domain/caller.ts";
import type { Gpt } from "../domain/gpt.ts";
import type { Grant } from "../domain/grant.ts";
import type { PinState } from "../domain/pin.ts";
import type { ServerDefinition } from "../domain/server.ts";
import { type RegisteredTool, type Toolbox, type ToolboxSettings, type ToolRef, toolIn } from "../domain/tool.ts";
import type { ServerLink } from "../ports/server-link.ts";
import type { Grants } from "../ports/store.ts";
import { isTrusted } from "../sessions/choose-tools.ts";
import { grantsFor } from "./grants.ts";
import type { Reach } from "./reach.ts";
import type { ServerEntry } from "./servers.ts";

/** What sets one door's calls apart from another's. */
export interface CallSetting {
  readonly approvalMode: ApprovalMode;
  readonly attended: boolean;
  readonly reach: Reach;
  readonly toolbox: Toolbox;
  readonly gpt?: Gpt;
  readonly sessionId?: string | undefined;
  readonly caller: Caller;
}

export function createCallScene(setting: CallSetting, settings: ToolboxSettings, grants: Grants): CallScene {
  return new Scene(setting, settings, grants);
}

export function entryOf(reach: Reach, ref: ToolRef): ServerEntry | undefined {
  return reach.setOf(ref).servers.find(ref.scope, ref.server);
}

/** A class, because every call has one: methods are shared where closures would be made anew each time. */
class Scene implements CallScene {
  readonly toolbox: Toolbox;
  readonly settings: ToolboxSettings;
  readonly approvalMode: ApprovalMode;
  readonly sessionId: string | undefined;
  readonly caller: Caller;
  readonly #reach: Reach;
  readonly #gpt: Gpt | undefined;
  readonly #grants: Grants;

  constructor(
    { toolbox, approvalMode, sessionId, caller, gpt, reach }: CallSetting,
    settings: ToolboxSettings,
    grants: Grants,
  ) {
    this.toolbox = toolbox;
    this.settings = settings;
    this.approvalMode = approvalMode;
    this.sessionId = sessionId;
    this.caller = caller;
    this.#reach = reach;
    this.#gpt = gpt;
    this.#grants = grants;
  }

  definitionOf({ ref }: RegisteredTool): ServerDefinition | undefined {
    return entryOf(this.#reach, ref)?.definition;
  }

  presentOf({ ref }: RegisteredTool): RegisteredTool | undefined {
    return toolIn(this.#reach.toolbox(), ref);
  }

  linkTo({ ref }: RegisteredTool): ServerLink {
    return this.#reach.flight.guard(entryOf(this.#reach, ref)?.link);
  }

  pinOf({ ref }: RegisteredTool): PinState {
    return this.#reach.setOf(ref).catalog.pinOf(ref);
  }

  isTrusted(tool: RegisteredTool): boolean {
    return isTrusted(this.#gpt, tool, this.toolbox);
  }

  grantsFor({ ref }: RegisteredTool): readonly Grant[] | Promise<readonly Grant[]> {
    return this.approvalMode === "auto" && this.sessionId === undefined ? [] : this.#findGrants(ref);
  }

  async #findGrants(ref: ToolRef): Promise<readonly Grant[]> {
    const named = { ...ref, server: await this.#reach.grantNameOf(ref) };
    return grantsFor(await this.#grants.list(named), named, this.sessionId);
  }
}
