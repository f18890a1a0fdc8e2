import type { ElicitationAnswer, ServerQuestion } from "@tacklebox/core";
import type { Choice, Chosen, NoReply, Person } from "../person.ts";
import type { Screen } from "../terminal/screen.ts";

/** How a server's question ended. */
export type FormReply = ElicitationAnswer | { readonly kind: "none"; readonly why: NoReply };

export type QuestionOf<K extends ServerQuestion["kind"]> = Extract<ServerQuestion, { readonly kind: K }>;

export interface QuestionFormDeps {
  readonly person: Pick<Person, "choose" | "readText">;
  readonly screen: Screen;
}

const DECLINE: Choice = { key: "d", label: "decline" };
const CANCEL: Choice = { key: "c", label: "cancel" };
/** Choices that every question offers. */
export const REFUSALS: readonly Choice[] = [DECLINE, CANCEL];

/** Undefined when the person chose to go on with the question. */
export function toRefusal(chosen: Chosen): FormReply | undefined {
  if (chosen.kind === "none") return chosen;
  if (chosen.key === DECLINE.key) return { kind: "decline" };
  return chosen.key === CANCEL.key ? { kind: "cancel" } : undefined;
}
