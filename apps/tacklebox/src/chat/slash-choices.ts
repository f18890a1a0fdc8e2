import { type ApprovalMode, loadConversation, type Session } from "@tacklebox/core";
import { describeUnknownGpt } from "../output/gpt-json.ts";
import { printableLine } from "../output/printable.ts";
import { formatConversation } from "../output/session-report.ts";
import { formatTable } from "../output/table.ts";
import type { ChatState } from "./slash-commands.ts";

const MOST_SESSIONS = 20;
/** Of a conversation that is taken up again. */
const MOST_MESSAGES = 6;

export async function chooseGpt(key: string, { engine, talk, screen }: ChatState): Promise<string> {
  const gpts = await engine.gpts.list();
  if (key === "") {
    if (gpts.length === 0) return "There are no assistants. `tacklebox gpt add` saves one.\n";
    const rows = gpts.map((gpt) => [marked(gpt.key, gpt.key === talk.gpt), gpt.approval, gpt.description ?? gpt.name]);
    return formatTable(["GPT", "APPROVAL", "DESCRIPTION"], rows, lookOf(screen));
  }
  if (key === "none") {
    talk.gpt = undefined;
    // A conversation keeps its assistant.
    talk.sessionId = undefined;
    return "No assistant from now on, in another conversation.\n";
  }
  const gpt = gpts.find((one) => one.key === key);
  if (gpt === undefined) return printableLine(describeUnknownGpt(key));
  talk.gpt = gpt.key;
  return printableLine(`${gpt.name} answers from now on. ${APPROVAL_TEXTS[gpt.approval]}`);
}

const APPROVAL_TEXTS = {
  auto: "Its calls run without asking.",
  "always-ask": "You are asked about each of its calls.",
  "trusted-only": "You are asked about calls of tools it does not trust.",
} as const satisfies Record<ApprovalMode, string>;

export async function chooseModel(name: string, { engine, talk, screen }: ChatState): Promise<string> {
  const models = await engine.models.list();
  if (name === "") {
    const isUsed = (model: (typeof models)[number]) =>
      talk.model === undefined ? model.isDefault : model.name === talk.model;
    const rows = models.map((model) => [marked(model.name, isUsed(model)), model.vendor, model.source]);
    return formatTable(["MODEL", "VENDOR", "FOUND IN"], rows, lookOf(screen));
  }
  const model = models.find((one) => one.name === name);
  if (model === undefined) return printableLine(`There is no model '${name}'. /model shows all.`);
  talk.model = model.name;
  return printableLine(`${model.name} answers from now on.`);
}

export async function chooseSession(wanted: string, room: ChatState): Promise<string> {
  const { engine, talk, screen } = room;
  const { items: sessions } = await engine.sessions.list({ limit: MOST_SESSIONS });
  if (wanted === "") {
    if (sessions.length === 0) return "There are no conversations yet.\n";
    const rows = sessions.map((session, index) => [
      marked(String(index + 1), session.id === talk.sessionId),
      toMinute(session.updatedAt),
      session.title,
    ]);
    return `${formatTable(["N", "USED", "TITLE"], rows, lookOf(screen))}/sessions N goes on with one.\n`;
  }
  const found: Session | undefined = sessions[Number(wanted) - 1] ?? sessions.find(({ id }) => id === wanted);
  return (await resumeSession(found?.id ?? wanted, room)) ?? printableLine(`There is no conversation ${wanted}.`);
}

/** Goes on with a conversation, and shows where it was; undefined when there is none with this id. */
export async function resumeSession(id: string, { engine, talk, screen }: ChatState): Promise<string | undefined> {
  const conversation = await loadConversation(engine, id);
  if (conversation === undefined) return undefined;
  const { session, messages } = conversation;
  talk.sessionId = session.id;
  talk.gpt = session.gpt;
  const shown = messages.slice(-MOST_MESSAGES);
  const earlier = messages.length - shown.length;
  const note = earlier > 0 ? `${earlier} earlier messages: tacklebox sessions show ${session.id}\n` : "";
  return `${formatConversation({ session, messages: shown }, screen.paint)}${screen.paint(note, "dim")}`;
}

export async function beginSession({ talk }: ChatState): Promise<string> {
  talk.sessionId = undefined;
  talk.tools = undefined;
  return "What you say now begins another conversation.\n";
}

function lookOf({ paint, columns }: ChatState["screen"]) {
  return { paint, columns: columns() - 1 };
}

function marked(text: string, isUsed: boolean): string {
  return isUsed ? `${text} *` : text;
}

function toMinute(time: string): string {
  return time.slice(0, 16).replace("T", " ");
}
