import type { ApprovedCall } from "../domain/call.ts";
import type { EngineEvent } from "../domain/events.ts";
import { serverKey } from "../domain/server.ts";
import { withSharedTimer } from "../platform/shared-timer.ts";
import type { Ports } from "../ports/ports.ts";
import type { Access } from "../servers/access.ts";
import type { Approver } from "./approvals/approver.ts";
import type { CallsAtWork } from "./approvals/calls-at-work.ts";
import { type ObservableGrants, withGrantNames } from "./approvals/grants.ts";
import { headlessApprover } from "./approvals/headless-approver.ts";
import type { CallSettings } from "./call-context.ts";
import type { CallDeps } from "./call-tool.ts";
import { createLimiter } from "./slots/limiter.ts";
import { createRateMeter } from "./slots/rate-meter.ts";
import { unfailingEmit, unfailingMetrics, unfailingShares } from "./unfailing.ts";

/** How long a server may take to stop a cancelled call before its connection is replaced. */
const CANCEL_GRACE_MS = 5_000;
const MAX_RESULT_CHARACTERS = 16 * 1024 * 1024;

export interface CallDepsParts {
  readonly ports: Ports;
  readonly emit: (event: EngineEvent) => void;
  readonly wantsEvents: (callId: string) => boolean;
  readonly wantsProgress: (callId: string) => boolean;
  readonly approvals: Approver;
  readonly grants: ObservableGrants;
  readonly atWork: CallsAtWork;
  /** Whether servers may ask people anything here. */
  readonly canAsk: boolean;
  readonly agent: Access;
  readonly keepResultBytes: () => number;
}

/**
 * Returns the dependencies for the calls of each caller. They are built once, because every call asks for them; only
 * the grants depend on the session.
 */
export function createCallDeps(parts: CallDepsParts): (settings: CallSettings) => CallDeps {
  const { ports, emit, wantsEvents, wantsProgress, approvals, grants, atWork, canAsk, agent, keepResultBytes } = parts;
  const { logger } = ports;
  const shares = ports.shares === undefined ? undefined : unfailingShares(ports.shares, logger);
  const shared = {
    ...ports,
    metrics: unfailingMetrics(ports.metrics, logger),
    clock: withSharedTimer(ports.clock),
    calls: ports.store.calls,
    owner: ports.store.members.id,
    grants,
    onGrant: grants.onSaved,
    limiter: createLimiter(ports.clock, shares?.slots),
    rates: createRateMeter(ports.clock, shares?.rates),
    redact: ports.knownSecrets.redact,
    emit: unfailingEmit(emit, logger),
    wantsEvents,
    wantsProgress,
    graceMs: CANCEL_GRACE_MS,
    maxResultCharacters: MAX_RESULT_CHARACTERS,
    keepResultBytes,
  };
  const questionTracking = (attended: boolean) =>
    canAsk && {
      enterServer: ({ id, sessionId, registered: { ref } }: ApprovedCall) =>
        atWork.enter(serverKey(ref, sessionId), { id, sessionId, attended }),
    };
  const attendedDeps: CallDeps = { ...shared, approver: approvals, ...questionTracking(true) };
  const unattendedDeps: CallDeps = { ...shared, approver: headlessApprover, ...questionTracking(false) };
  return ({ attended, access }) => {
    const chosen = attended ? attendedDeps : unattendedDeps;
    return access === agent ? chosen : { ...chosen, grants: withGrantNames(access, chosen.grants) };
  };
}
