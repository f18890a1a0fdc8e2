import type { ApprovalMode } from "../domain/approval.ts";
import type { CallFailure, CallRequest } from "../domain/call.ts";
import type { Caller } from "../domain/caller.ts";
import type { Gpt } from "../domain/gpt.ts";
import type { Grant, PinState } from "../domain/grant.ts";
import type { ServerDefinition } from "../domain/server.ts";
import { type RegisteredTool, type Toolbox, type ToolboxSettings, type ToolRef, toolIn } from "../domain/tool.ts";
import type { OnLargeOutcome } from "../engine.ts";
import type { Grants } from "../ports/store.ts";
import { type Access, entryOf } from "../servers/access.ts";
import type { ServerLink } from "../servers/link/link.ts";
import { isBarred, isTrusted } from "../toolbox/choose-tools.ts";
import type { Sight } from "../toolbox/find-obstacles.ts";
import { knownServers } from "../toolbox/known-servers.ts";
import { placeOfApproval } from "../toolbox/obstacle.ts";
import { grantsFor } from "./approvals/grants.ts";
import type { CallContext } from "./call-tool.ts";
import { explainAbsence } from "./explain-absence.ts";

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

/** What every call may have to explain, whoever makes it. */
export type CallKnowledge = Pick<Sight, "placeOf" | "advice">;

export function createCallContext(
  setting: CallSettings,
  settings: ToolboxSettings,
  grants: Grants,
  knowledge: CallKnowledge,
): CallContext {
  return new SessionCallContext(setting, settings, grants, knowledge);
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
  readonly #knowledge: CallKnowledge;

  constructor(
    { toolbox, approvalMode, sessionId, caller, gpt, access, onLargeOutcome, crowdedServer }: CallSettings,
    settings: ToolboxSettings,
    grants: Grants,
    knowledge: CallKnowledge,
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
    this.#knowledge = knowledge;
  }

  definitionOf({ ref }: RegisteredTool): ServerDefinition | undefined {
    return entryOf(this.#access, ref)?.definition;
  }

  absenceOf(request: CallRequest): CallFailure {
    if (this.#crowdedServer !== undefined) {
      const message = `Server '${this.#crowdedServer}' is still connecting, and too many calls wait for it. Call again once it is connected`;
      return { ending: "limit", message };
    }
    return explainAbsence(request, {
      ...this.#knowledge,
      settings: this.settings,
      usable: this.toolbox,
      // The whole of it: what a choice of tools leaves out is kept out by nothing else.
      toolbox: { ...this.#access.peek(), expected: this.toolbox.expected },
      servers: knownServers(this.#access),
      isVisible: (server) => {
        const definition = this.#access.named(server)?.entry.definition;
        return definition !== undefined && !isBarred({ ref: { ...definition, server, name: "" } }, this.#gpt);
      },
    });
  }

  placeOfApproval(tool: RegisteredTool, definition: ServerDefinition): string {
    return placeOfApproval(tool, definition, { ...this.#knowledge, settings: this.settings });
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
