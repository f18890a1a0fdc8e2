import type { ElicitationAnswer, ServerQuestion } from "@tacklebox/core";
import type { Choice, Chosen, NoReply, Person } from "../person.ts";
import type { Screen } from "../screen.ts";

/** How a server's question came to its end. */
export type FormReply = ElicitationAnswer | { readonly kind: "silent"; readonly why: NoReply };

export type QuestionOf<K extends ServerQuestion["kind"]> = Extract<ServerQuestion, { readonly kind: K }>;

export interface QuestionFormDeps {
  readonly person: Pick<Person, "choose" | "readText" | "holdEarlier">;
  readonly screen: Screen;
}

const DECLINE: Choice = { key: "d", label: "decline" };
const CANCEL: Choice = { key: "c", label: "cancel" };
/** What one may always choose. */
export const REFUSALS: readonly Choice[] = [DECLINE, CANCEL];

/** Undefined when they chose something else than to end the question. */
export function toRefusal(chosen: Chosen): FormReply | undefined {
  if (chosen.kind === "silent") return chosen;
  if (chosen.key === DECLINE.key) return { kind: "decline" };
  return chosen.key === CANCEL.key ? { kind: "cancel" } : undefined;
}
