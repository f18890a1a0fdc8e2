import { type ApprovalMode, countOf, loadConversation } from "@tacklebox/core";
import { type FoundId, findSessionId } from "../../engine/find-id.ts";
import { describeUnknownGpt } from "../../output/json/gpt-json.ts";
import { printableLine, printableText } from "../../output/printable.ts";
import { formatConversation } from "../../output/reports/session-report.ts";
import { formatTable } from "../../output/table.ts";
import type { ChatState } from "./slash-commands.ts";

const MAX_SESSIONS = 20;
/** How many messages of a resumed conversation are shown. */
const MAX_MESSAGES = 6;

export async function chooseGpt(key: string, { engine, settings, screen }: ChatState): Promise<string> {
  const gpts = await engine.gpts.list();
  if (key === "") {
    if (gpts.length === 0) return "There are no assistants. `tacklebox gpt add` saves one.\n";
    const rows = gpts.map((gpt) => [
      marked(gpt.key, gpt.key === settings.gpt),
      gpt.approval,
      gpt.description ?? gpt.name,
    ]);
    return formatTable(["GPT", "APPROVAL", "DESCRIPTION"], rows, tableStyleOf(screen));
  }
  if (key === "none") {
    settings.gpt = undefined;
    // A conversation keeps its assistant, so dropping it begins another conversation.
    settings.sessionId = undefined;
    return "No assistant from now on. This is a new conversation.\n";
  }
  const gpt = gpts.find((one) => one.key === key);
  if (gpt === undefined) return printableLine(describeUnknownGpt(key));
  settings.gpt = gpt.key;
  return printableLine(`${gpt.name} answers from now on. ${APPROVAL_TEXTS[settings.approve ?? gpt.approval]}`);
}

const APPROVAL_TEXTS = {
  auto: "Its calls run without asking.",
  "always-ask": "You are asked about each of its calls.",
  "trusted-only": "You are asked about every call, except calls of its trusted tools.",
} as const satisfies Record<ApprovalMode, string>;

export async function chooseModel(name: string, { engine, settings, screen }: ChatState): Promise<string> {
  const models = await engine.models.list();
  if (name === "") {
    const isUsed = (model: (typeof models)[number]) =>
      settings.model === undefined ? model.isDefault : model.name === settings.model;
    const rows = models.map((model) => [marked(model.name, isUsed(model)), model.vendor, model.source]);
    return formatTable(["MODEL", "VENDOR", "FOUND IN"], rows, tableStyleOf(screen));
  }
  const model = models.find((one) => one.name === name);
  if (model === undefined) return printableLine(`There is no model '${name}'. /model shows them all.`);
  settings.model = model.name;
  return printableLine(`${model.name} answers from now on.`);
}

export async function chooseSession(wanted: string, state: ChatState): Promise<string> {
  const { engine, settings, screen } = state;
  const { items: sessions } = await engine.sessions.list({ limit: MAX_SESSIONS });
  if (wanted === "") {
    if (sessions.length === 0) return "There are no conversations yet.\n";
    const rows = sessions.map((session, index) => [
      marked(String(index + 1), session.id === settings.sessionId),
      toMinute(session.updatedAt),
      session.title,
    ]);
    return `${formatTable(["N", "USED", "TITLE"], rows, tableStyleOf(screen))}/sessions N continues one.\n`;
  }
  const numbered = sessions[Number(wanted) - 1];
  const found: FoundId = numbered
    ? { kind: "found", id: numbered.id }
    : await findSessionId(wanted, engine, "/sessions");
  if (found.kind === "refused") return printableText(found.message);
  return (await resumeSession(found.id, state)) ?? printableLine(`There is no conversation ${wanted}.`);
}

/** Resumes a conversation and returns its last messages. Undefined when there is none with this id. */
export async function resumeSession(id: string, { engine, settings, screen }: ChatState): Promise<string | undefined> {
  const conversation = await loadConversation(engine, id);
  if (conversation === undefined) return undefined;
  const { session, messages } = conversation;
  settings.sessionId = session.id;
  settings.gpt = session.gpt;
  const shown = messages.slice(-MAX_MESSAGES);
  const earlier = messages.length - shown.length;
  const note = earlier > 0 ? `${countOf(earlier, "earlier message")}: tacklebox sessions show ${session.id}\n` : "";
  return `${formatConversation({ session, messages: shown }, screen.paint)}${screen.paint(note, "dim")}`;
}

export async function beginSession({ settings }: ChatState): Promise<string> {
  settings.sessionId = undefined;
  settings.tools = undefined;
  return "Your next message starts a new conversation.\n";
}

function tableStyleOf({ paint, columns }: ChatState["screen"]) {
  return { paint, columns: columns() - 1 };
}

function marked(text: string, isUsed: boolean): string {
  return isUsed ? `${text} *` : text;
}

function toMinute(time: string): string {
  return time.slice(0, 16).replace("T", " ");
}
