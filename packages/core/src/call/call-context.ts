import type { ApprovalMode } from "../domain/approval.ts";
import type { Caller } from "../domain/caller.ts";
import type { Gpt } from "../domain/gpt.ts";
import type { Grant, PinState } from "../domain/grant.ts";
import type { ServerDefinition } from "../domain/server.ts";
import { type RegisteredTool, type Toolbox, type ToolboxSettings, type ToolRef, toolIn } from "../domain/tool.ts";
import type { Grants } from "../ports/store.ts";
import type { Access } from "../servers/access.ts";
import type { ServerLink } from "../servers/link/link.ts";
import type { ServerEntry } from "../servers/servers.ts";
import { isTrusted } from "../toolbox/choose-tools.ts";
import { grantsFor } from "./approvals/grants.ts";
import type { CallContext } from "./call-tool.ts";

/** What sets one door's calls apart from another's. */
export interface CallSettings {
  readonly approvalMode: ApprovalMode;
  readonly attended: boolean;
  readonly access: Access;
  readonly toolbox: Toolbox;
  readonly gpt?: Gpt;
  readonly sessionId?: string | undefined;
  readonly caller: Caller;
}

export function createCallContext(setting: CallSettings, settings: ToolboxSettings, grants: Grants): CallContext {
  return new SessionCallContext(setting, settings, grants);
}

export function entryOf(access: Access, ref: ToolRef): ServerEntry | undefined {
  return access.setOf(ref).servers.find(ref.scope, ref.server);
}

/** A class, because every call has one: methods are shared where closures would be made anew each time. */
class SessionCallContext implements CallContext {
  readonly toolbox: Toolbox;
  readonly settings: ToolboxSettings;
  readonly approvalMode: ApprovalMode;
  readonly sessionId: string | undefined;
  readonly caller: Caller;
  readonly #access: Access;
  readonly #gpt: Gpt | undefined;
  readonly #grants: Grants;

  constructor(
    { toolbox, approvalMode, sessionId, caller, gpt, access }: CallSettings,
    settings: ToolboxSettings,
    grants: Grants,
  ) {
    this.toolbox = toolbox;
    this.settings = settings;
    this.approvalMode = approvalMode;
    this.sessionId = sessionId;
    this.caller = caller;
    this.#access = access;
    this.#gpt = gpt;
    this.#grants = grants;
  }

  definitionOf({ ref }: RegisteredTool): ServerDefinition | undefined {
    return entryOf(this.#access, ref)?.definition;
  }

  presentOf({ ref }: RegisteredTool): RegisteredTool | undefined {
    return toolIn(this.#access.toolbox(), ref);
  }

  linkTo({ ref }: RegisteredTool): ServerLink {
    return this.#access.flight.guard(entryOf(this.#access, ref)?.link);
  }

  pinOf({ ref }: RegisteredTool): PinState {
    return this.#access.setOf(ref).catalog.pinOf(ref);
  }

  isTrusted(tool: RegisteredTool): boolean {
    return isTrusted(this.#gpt, tool, this.toolbox);
  }

  grantsFor({ ref }: RegisteredTool): readonly Grant[] | Promise<readonly Grant[]> {
    return this.approvalMode === "auto" && this.sessionId === undefined ? [] : this.#findGrants(ref);
  }

  async #findGrants(ref: ToolRef): Promise<readonly Grant[]> {
    const named = { ...ref, server: await this.#access.grantNameOf(ref) };
    return grantsFor(await this.#grants.list(named), named, this.sessionId);
  }
}
