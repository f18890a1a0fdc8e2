import type { Flood } from "../../domain/connection.ts";
import type { Clock } from "../../ports/clock.ts";

/** What a server that sent too much was last seen doing, for people. */
export interface FloodNote {
  /** Returns the text to report. */
  take(flood: Flood): string;
  /** The same text, with its time, for as long as it may still explain something. */
  current(): string | undefined;
}

const SHOWN_MS = 10 * 60_000;

export function createFloodNote(clock: Clock): FloodNote {
  let note: { readonly text: string; readonly until: number } | undefined;
  return {
    take(flood) {
      const text = describe(flood);
      const at = new Date(clock.now()).toISOString();
      note = { text: `${text} (at ${at})`, until: clock.monotonic() + SHOWN_MS };
      return text;
    },
    current: () => (note !== undefined && clock.monotonic() < note.until ? note.text : undefined),
  };
}

function describe({ kind, perSecond }: Flood): string {
  const what = `about ${perSecond.toLocaleString("en")} messages a second that nothing had asked for`;
  if (kind === "paused") return `sent ${what}; it is paused, and its messages are read slowly`;
  return `sent ${what}, and went on while it was paused; its connection is replaced`;
}
