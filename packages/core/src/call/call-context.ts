import type { ApprovalMode } from "../domain/approval.ts";
import type { CallRequest } from "../domain/call.ts";
import type { Caller } from "../domain/caller.ts";
import type { Gpt } from "../domain/gpt.ts";
import type { Grant, PinState } from "../domain/grant.ts";
import type { ServerDefinition } from "../domain/server.ts";
import { type RegisteredTool, type Toolbox, type ToolboxSettings, type ToolRef, toolIn } from "../domain/tool.ts";
import type { OnLargeOutcome } from "../engine.ts";
import type { Grants } from "../ports/store.ts";
import { type Access, entryOf } from "../servers/access.ts";
import type { ServerLink } from "../servers/link/link.ts";
import { isTrusted } from "../toolbox/choose-tools.ts";
import { grantsFor } from "./approvals/grants.ts";
import type { CallContext } from "./call-tool.ts";
import type { AbsentServer } from "./steps/resolve-tool.ts";

/** The settings of a call that depend on who makes it: its door, session, run or GPT. */
export interface CallSettings {
  readonly approvalMode: ApprovalMode;
  readonly attended: boolean;
  readonly access: Access;
  readonly toolbox: Toolbox;
  readonly gpt?: Gpt;
  readonly sessionId?: string | undefined;
  readonly caller: Caller;
  readonly onLargeOutcome?: OnLargeOutcome | undefined;
  /** The name of a server that the call should wait for, if too many calls wait for it already. */
  readonly crowdedServer?: string | undefined;
}

export function createCallContext(setting: CallSettings, settings: ToolboxSettings, grants: Grants): CallContext {
  return new SessionCallContext(setting, settings, grants);
}

/** A class, because every call has one: methods are shared, while closures would be allocated for each call. */
class SessionCallContext implements CallContext {
  readonly toolbox: Toolbox;
  readonly settings: ToolboxSettings;
  readonly approvalMode: ApprovalMode;
  readonly sessionId: string | undefined;
  readonly caller: Caller;
  readonly onLargeOutcome: OnLargeOutcome | undefined;
  readonly #access: Access;
  readonly #gpt: Gpt | undefined;
  readonly #grants: Grants;
  readonly #crowdedServer: string | undefined;

  constructor(
    { toolbox, approvalMode, sessionId, caller, gpt, access, onLargeOutcome, crowdedServer }: CallSettings,
    settings: ToolboxSettings,
    grants: Grants,
  ) {
    this.toolbox = toolbox;
    this.settings = settings;
    this.approvalMode = approvalMode;
    this.sessionId = sessionId;
    this.caller = caller;
    this.onLargeOutcome = onLargeOutcome;
    this.#access = access;
    this.#gpt = gpt;
    this.#grants = grants;
    this.#crowdedServer = crowdedServer;
  }

  definitionOf({ ref }: RegisteredTool): ServerDefinition | undefined {
    return entryOf(this.#access, ref)?.definition;
  }

  absentServer({ server, tool }: CallRequest): AbsentServer | undefined {
    if (this.#crowdedServer !== undefined) return { kind: "crowded", name: this.#crowdedServer };
    const ref = this.toolbox.expected.get(tool)?.ref;
    const offering = ref === undefined ? undefined : entryOf(this.#access, ref);
    const entry = server === undefined ? offering : this.#access.named(server)?.entry;
    if (entry?.link === undefined) return undefined;
    const { scope, key, name } = entry.definition;
    const { catalog } = this.#access.setOf({ scope, server: key, name: tool });
    if (catalog.listingOf(entry.definition) !== undefined) return undefined;
    const { link } = entry;
    const { status, cause } = link.status();
    return {
      kind: "down",
      name,
      status,
      cause,
      isComing: this.#access.coming().some((coming) => coming.entry.link === link),
    };
  }

  currentOf({ ref }: RegisteredTool): RegisteredTool | undefined {
    return toolIn(this.#access.toolbox(), ref);
  }

  linkTo({ ref }: RegisteredTool): ServerLink {
    return this.#access.tracker.guard(entryOf(this.#access, ref)?.link);
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
