import type { AcpDoor } from "./door.ts";
import { type Choices, NO_CHOICES } from "./settings.ts";

/** A door that is opened on first use, so that the first answers need not wait for the engine to load. */
export interface LazyDoor {
  open(): Promise<AcpDoor>;
  /** The models and GPTs to choose from; empty until all of them are known. */
  choices(): Choices;
  /** Opens the door, and resolves once `choices` is complete. */
  untilChoicesAreKnown(): Promise<void>;
  /** Ends the engine, if it was opened. */
  close(): Promise<void>;
}

/** Calls `choicesKnown` before `untilChoicesAreKnown` resolves, and again whenever a changed config may have changed them. */
export function createLazyDoor(open: () => Promise<AcpDoor>, choicesKnown: () => void): LazyDoor {
  let door: Promise<AcpDoor> | undefined;
  let choices: Choices = NO_CHOICES;

  function openOnce(): Promise<AcpDoor> {
    door ??= open().then((opened) => {
      const learn = (known: Choices) => {
        choices = known;
        choicesKnown();
      };
      void opened.allChoices.then(learn);
      opened.onChoices(learn);
      return opened;
    });
    return door;
  }

  return {
    open: openOnce,
    choices: () => choices,
    async untilChoicesAreKnown() {
      await (await openOnce()).allChoices;
    },
    async close() {
      const opened = await door?.catch(() => undefined);
      await opened?.close();
    },
  };
}
