import type { EngineEvent } from "../domain/events.ts";
import type { Logger } from "../ports/logger.ts";
import type { Metrics } from "../ports/metrics.ts";
import type { Shares } from "../ports/shares.ts";

/**
 * Ports that watch calls. One that throws is a bug of whoever filled it; the call that it watched must not fail for
 * that, let alone after it ran.
 */
export function unfailingLogger(logger: Logger): Logger {
  return {
    log(level, text, fields) {
      try {
        logger.log(level, text, fields);
      } catch {
        // There is nowhere left to report it.
      }
    },
  };
}

export function unfailingMetrics(metrics: Metrics, logger: Logger): Metrics {
  return {
    toolUsed: (tool, seconds) => quietly(() => metrics.toolUsed(tool, seconds), "counting a call", logger),
    callEnded: (server, ending) => quietly(() => metrics.callEnded(server, ending), "counting a call", logger),
  };
}

export function unfailingEmit(emit: (event: EngineEvent) => void, logger: Logger): (event: EngineEvent) => void {
  return (event) => quietly(() => emit(event), `announcing ${event.type}`, logger);
}

/** Shares that grant nothing while their owner fails: the limits still hold, and slots can be given back. */
export function unfailingShares({ slots, rates }: Shares, logger: Logger): Shares {
  const orNone = (count: () => number): number => {
    let counted = 0;
    quietly(
      () => {
        counted = count();
      },
      "reading shares",
      logger,
    );
    return counted;
  };
  return {
    slots: {
      granted: (key, limit) => orNone(() => slots.granted(key, limit)),
      onChange: (listener) => slots.onChange(listener),
      noteUse: (key, inUse, waiting) => quietly(() => slots.noteUse(key, inUse, waiting), "noting use", logger),
    },
    rates: {
      takeCalls: (key, rate) => orNone(() => rates.takeCalls(key, rate)),
      onChange: (listener) => rates.onChange(listener),
    },
  };
}

/** Runs something that must not stop what follows. What it throws is logged. */
export function quietly(task: () => void, what: string, logger: Logger): void {
  try {
    task();
  } catch (error) {
    logger.log("error", `Tacklebox has a bug: ${what} failed`, describeError(error));
  }
}

/** An error as the fields of a log line. */
export function describeError(error: unknown): { readonly error: string; readonly stack?: string } {
  if (!(error instanceof Error)) return { error: String(error) };
  return { error: error.message, ...(error.stack !== undefined && { stack: error.stack }) };
}
