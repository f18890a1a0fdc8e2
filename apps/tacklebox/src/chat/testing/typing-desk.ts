import { PassThrough } from "node:stream";
import { createManualClock } from "@tacklebox/core/testing";
import type { Terminal } from "../../io.ts";
import { plain } from "../../output/colour.ts";
import { openKeyboard } from "../terminal/keyboard.ts";
import type { LiveRows } from "../terminal/live-rows.ts";
import type { Screen } from "../terminal/screen.ts";
import { createTerminalPerson } from "../terminal/terminal-person.ts";

/** A person at a terminal of its own: the real keyboard, line editor and questions, with a clock that a test turns. */
export function openTypingDesk(columns = 80, clock = createManualClock()) {
  const stdin = new PassThrough();
  const terminal: Terminal = {
    columns: () => columns,
    rows: () => 24,
    onResize: () => () => undefined,
    setRaw: () => undefined,
  };
  let live: LiveRows = { rows: [] };
  const screen: Screen = {
    paint: plain,
    columns: () => columns,
    print: () => undefined,
    stream: () => undefined,
    endLine: () => undefined,
    show(_, compose) {
      live = compose?.(columns) ?? { rows: [] };
    },
    wipe: () => undefined,
    close: () => undefined,
  };
  const keyboard = openKeyboard(stdin, terminal, {
    write: () => undefined,
    interrupted: () => undefined,
    gone: () => undefined,
    clock,
  });
  const walk = () => () => undefined;
  const history = { add: () => undefined, walk, settled: async () => undefined };
  const complete = async () => undefined;
  const person = createTerminalPerson({ keyboard, screen, terminal, history, complete, clock });

  /** Lets everything happen that does not wait for the clock. */
  async function settle(): Promise<void> {
    for (let turns = 0; turns < 10; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  return {
    person,
    screen,
    /** What is on the rows that the person types in. */
    rows: () => live.rows,
    settle,
    /** Lets time pass. */
    async wait(ms: number): Promise<void> {
      clock.advance(ms);
      await settle();
    },
    /** The terminal sends this at once. */
    async type(chunk: string): Promise<void> {
      stdin.write(chunk);
      await settle();
    },
  };
}
