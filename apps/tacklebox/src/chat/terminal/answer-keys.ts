import type { Clock } from "@tacklebox/core";
import type { Choice } from "../person.ts";
import { isEnter, isText, type KeptInput } from "./kept-input.ts";
import type { Arrival, Key, KeyReader } from "./keyboard.ts";

/**
 * A key counts as an answer only if nothing else is typed for this long before and after it, and if the question has
 * been there for as long. People type a word faster than that, and read a question more slowly.
 */
export const QUIET_MS = 250;

export type AnswerState =
  | { readonly kind: "asking" }
  /** Enter confirms the choice. */
  | { readonly kind: "selected"; readonly choice: Choice; readonly key: Key }
  /** What is typed goes on as text, for the next prompt, until Enter ends it. */
  | { readonly kind: "typing" };

export interface AnswerKeysDeps {
  readonly choices: readonly Choice[];
  readonly clock: Pick<Clock, "monotonic" | "after">;
  readonly kept: KeptInput;
  readonly lastArrival: () => Arrival;
  /** Whether the person was in the middle of a line when the question appeared. */
  readonly wasTyping: boolean;
  readonly changed: () => void;
  readonly chosen: (key: string) => void;
}

export interface AnswerKeys {
  state(): AnswerState;
  /** Whether the question has been there long enough for a key to count. */
  isOpen(): boolean;
  press: KeyReader;
  /** The question is over: a key that did not count yet is text. */
  close(): void;
}

/**
 * Tells answers from text. Only a key that is alone is an answer, and one that lasts takes two of them, the second an
 * Enter: so nothing that arrives in a burst, whatever is in it, can answer.
 */
export function createAnswerKeys(deps: AnswerKeysDeps): AnswerKeys {
  const { choices, clock, kept, changed, lastArrival } = deps;
  const shownAt = clock.monotonic();
  let state: AnswerState = deps.wasTyping ? { kind: "typing" } : { kind: "asking" };
  let lastKeyAt = Math.max(shownAt, lastArrival().at);
  /** A key that counts unless another one follows at once. */
  let held: Key | undefined;
  let stopWaiting = clock.after(QUIET_MS, changed);

  function hold(key: Key): void {
    held = key;
    const { number } = lastArrival();
    stopWaiting();
    stopWaiting = clock.after(QUIET_MS, () => {
      // What has arrived since may be the start of an escape sequence, which is no key yet.
      if (lastArrival().number === number) return settle(key);
      addHeld();
      changed();
    });
  }

  /** Nothing followed the key. */
  function settle(key: Key): void {
    held = undefined;
    const choice = state.kind === "asking" ? choiceOf(key) : undefined;
    if (state.kind === "selected") deps.chosen(state.choice.key);
    else if (choice !== undefined && choice.enter === undefined) deps.chosen(choice.key);
    else {
      state = choice === undefined ? { kind: "asking" } : { kind: "selected", choice, key };
      changed();
    }
  }

  function choiceOf({ name, ctrl, meta }: Key): Choice | undefined {
    return ctrl || meta ? undefined : choices.find(({ key }) => key === name);
  }

  function addText(key: Key): void {
    if (state.kind === "typing") {
      if (isEnter(key)) kept.breakLine();
      else kept.edit(key);
      if (kept.draft().characters.length === 0) state = { kind: "asking" };
    } else if (isText(key)) {
      state = { kind: "typing" };
      kept.edit(key);
    }
  }

  /** What was selected, or did not count yet, turns out to be the beginning of a text. */
  function addHeld(): void {
    if (held === undefined) return;
    stopWaiting();
    if (state.kind === "selected") deselect(state.key, held);
    addText(held);
    held = undefined;
  }

  /** Another key than a confirming Enter follows: text goes on with it, and every other key cancels. */
  function deselect(selected: Key, next: Key): void {
    state = { kind: "asking" };
    if (isText(next) || isEnter(next)) addText(selected);
  }

  function press(key: Key, cameAlone: boolean): void {
    const now = clock.monotonic();
    const isQuiet = cameAlone && held === undefined && now - lastKeyAt >= QUIET_MS;
    lastKeyAt = now;
    addHeld();
    if (state.kind === "typing" && isEnter(key)) hold(key);
    else if (state.kind === "selected" && isQuiet && isEnter(key)) hold(key);
    else if (state.kind === "asking" && isQuiet && choiceOf(key) !== undefined) hold(key);
    else {
      if (state.kind === "selected") deselect(state.key, key);
      addText(key);
    }
    changed();
  }

  return {
    state: () => state,
    isOpen: () => clock.monotonic() - shownAt >= QUIET_MS,
    press,
    close() {
      if (state.kind === "asking") addHeld();
      stopWaiting();
    },
  };
}
