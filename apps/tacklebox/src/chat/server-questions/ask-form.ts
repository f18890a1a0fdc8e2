import type { Json, Validator } from "@tacklebox/core";
import { printableLine } from "../../output/printable.ts";
import { cutToWidth } from "../../output/text-width.ts";
import { wrapText } from "../markdown/word-wrap.ts";
import type { Choice } from "../person.ts";
import type { Screen } from "../terminal/screen.ts";
import { describeAlternatives, describeField, describeValue } from "./describe-field.ts";
import { type FormField, toFields } from "./form-field.ts";
import { introduceServer } from "./introduce-server.ts";
import { type ParsedAnswer, parseAnswer } from "./parse-answer.ts";
import { oneLine } from "./quote-text.ts";
import { type FormReply, type QuestionFormDeps, type QuestionOf, REFUSALS, toRefusal } from "./reply.ts";

export interface FormDeps extends QuestionFormDeps {
  readonly validator: Validator;
}

const AGREE: Choice = { key: "a", label: "agree" };
const ANSWER: Choice = { key: "a", label: "answer" };
const SEND: Choice = { key: "s", label: "send" };
const CHANGE: Choice = { key: "e", label: "edit" };
const MAX_NAME_LENGTH = 16;

/** Asks for the fields of a form one by one. Nothing is sent until the person has seen and confirmed all of it. */
export async function askForm(question: QuestionOf<"form">, deps: FormDeps, signal: AbortSignal): Promise<FormReply> {
  const { person, screen } = deps;
  const fields = toFields(question.schema);
  screen.print(formatForm(question, fields.length, screen));
  const refusal = toRefusal(await person.choose([fields.length === 0 ? AGREE : ANSWER, ...REFUSALS], signal));
  if (refusal !== undefined) return refusal;
  if (fields.length === 0) return { kind: "accept", content: {} };
  return fillIn(fields, question.server, deps, signal);
}

async function fillIn(
  fields: readonly FormField[],
  server: string,
  deps: FormDeps,
  signal: AbortSignal,
): Promise<FormReply> {
  const { person } = deps;
  const given = new Map<string, Json>();
  for (;;) {
    for (const [at, field] of fields.entries()) {
      const asked = { ...field, suggested: given.get(field.name) ?? field.suggested };
      const answer = await askField(asked, { server, place: `${at + 1} of ${fields.length}` }, deps, signal);
      if (answer.kind === "value") given.set(field.name, answer.value);
      else if (answer.kind === "left-out") given.delete(field.name);
      else return answer;
    }
    const chosen = await person.choose([SEND, CHANGE, ...REFUSALS], signal);
    const refusal = toRefusal(chosen);
    if (refusal !== undefined) return refusal;
    if (chosen.kind === "chosen" && chosen.key === SEND.key)
      return { kind: "accept", content: Object.fromEntries(given) };
  }
}

type FieldAnswer = Exclude<ParsedAnswer, { readonly kind: "problem" }> | Extract<FormReply, { readonly kind: "none" }>;

async function askField(
  field: FormField,
  { server, place }: { readonly server: string; readonly place: string },
  { person, screen, validator }: FormDeps,
  signal: AbortSignal,
): Promise<FieldAnswer> {
  screen.print(describeField(field, place, screen));
  // Every input line names the server that asks.
  const label = `→ ${cutToWidth(printableLine(server), MAX_NAME_LENGTH)}: `;
  for (;;) {
    const reply = await person.readText({ label, hint: describeAlternatives(field) }, signal);
    if (reply.kind === "none") return reply;
    const answer = await parseAnswer(field, reply.text, validator, signal);
    if (answer.kind === "problem") {
      screen.print(wrapText([{ text: oneLine(answer.message), style: "yellow" }], screen, "  "));
      continue;
    }
    if (answer.kind === "decline" || answer.kind === "cancel") return answer;
    const shown = answer.kind === "value" ? describeValue(field, answer.value) : "nothing";
    screen.print(wrapText([{ text: `You said: ${shown}`, style: "dim" }], screen, "  "));
    return answer;
  }
}

function formatForm(question: QuestionOf<"form">, fields: number, screen: Screen): string {
  const count = fields === 0 ? "" : `${fields} ${fields === 1 ? "field" : "fields"}. `;
  const notice = printableLine(`${count}What you answer goes to ${question.server}.`);
  return (
    introduceServer(question, "asks you something", screen) + wrapText([{ text: notice, style: "dim" }], screen, "  ")
  );
}
