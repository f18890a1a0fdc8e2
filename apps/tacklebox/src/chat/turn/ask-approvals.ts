import {
  type ApprovalAnswer,
  type ApprovalLasting,
  type ApprovalRequest,
  type Engine,
  findInexactNumbers,
  inexactText,
  isJsonObject,
  type JsonObject,
} from "@tacklebox/core";
import { printableJson, printableLine } from "../../output/printable.ts";
import { formatDifference } from "../../output/show-difference.ts";
import { toolClaims } from "../../output/tool-claims.ts";
import { wrapText } from "../markdown/word-wrap.ts";
import type { Choice, Person } from "../person.ts";
import type { Screen } from "../terminal/screen.ts";
import type { QuestionQueue } from "./question-queue.ts";

/** Asks the person to approve calls, one after the other. */
export interface ApprovalPrompter {
  ask(request: ApprovalRequest, cardNumber: number): void;
  /** Withdraws a request that was answered, here or through another door, or has expired. */
  answered(callId: string): void;
}

export interface ApprovalPrompterDeps {
  readonly engine: Pick<Engine, "approvals">;
  readonly person: Pick<Person, "choose" | "readText">;
  readonly screen: Screen;
  readonly queue: QuestionQueue;
  /** Called when the person changes the arguments. */
  readonly edited: (callId: string, given: JsonObject) => void;
  /** Called when the person presses Ctrl-C instead of answering. */
  readonly cancelRun: () => void;
}

const LASTING = {
  once: { key: "y", label: "once" },
  session: { key: "s", label: "this session", enter: "allows it for this session" },
  always: { key: "a", label: "always", enter: "allows it for good" },
} as const satisfies Record<ApprovalLasting, Choice>;
const EDIT: Choice = { key: "e", label: "edit" };
const NO: Choice = { key: "n", label: "no" };
const NO_BECAUSE: Choice = { key: "r", label: "no, because …" };

export function createApprovalPrompter({
  engine,
  person,
  screen,
  queue,
  edited,
  cancelRun,
}: ApprovalPrompterDeps): ApprovalPrompter {
  const open = new Map<string, AbortController>();
  /** Arguments as typed, by call id, so that invalid ones can be edited rather than typed again. */
  const typed = new Map<string, string>();

  async function askOne(request: ApprovalRequest, cardNumber: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || !(await isWaiting(request))) return;
    screen.print(formatRequest(request, cardNumber, screen));
    const answer = await readAnswer(request, signal);
    if (answer === "withdrawn") return;
    if (answer === "interrupted") {
      // The run is over, so its other requests are withdrawn.
      for (const question of open.values()) question.abort();
      return cancelRun();
    }
    screen.print(
      wrapText([{ text: `You said: ${printableLine(describeAnswer(answer))}`, style: "dim" }], screen, INDENT),
    );
    if (answer.kind === "allow" && answer.editedArguments !== undefined) edited(request.callId, answer.editedArguments);
    await engine.approvals.answer(request.callId, answer);
  }

  /** A lasting answer may just have settled this request too; the event about it arrives later. */
  async function isWaiting({ callId }: ApprovalRequest): Promise<boolean> {
    return (await engine.approvals.list()).some((waiting) => waiting.callId === callId);
  }

  async function readAnswer(
    request: ApprovalRequest,
    signal: AbortSignal,
  ): Promise<ApprovalAnswer | "interrupted" | "withdrawn"> {
    const { argumentsDigest, fingerprint } = request;
    const allow = { kind: "allow", argumentsDigest, fingerprint } as const;
    const choices = [...request.lasting.map((lasting) => LASTING[lasting]), EDIT, NO, NO_BECAUSE];
    for (;;) {
      const chosen = await person.choose(choices, signal);
      if (chosen.kind === "none") return chosen.why === "withdrawn" ? "withdrawn" : "interrupted";
      const lasting = request.lasting.find((one) => LASTING[one].key === chosen.key);
      if (lasting !== undefined) return { ...allow, lasting };
      if (chosen.key === NO.key) return { kind: "deny" };
      if (chosen.key === NO_BECAUSE.key) {
        const reply = await person.readText({ label: "Why not? " }, signal);
        if (reply.kind === "text")
          return reply.text.trim() === "" ? { kind: "deny" } : { kind: "deny", reason: reply.text };
      }
      if (chosen.key === EDIT.key) {
        const editedArguments = await readArguments(request, signal);
        if (editedArguments !== undefined) return { ...allow, editedArguments };
      }
      if (signal.aborted) return "withdrawn";
    }
  }

  /** Undefined when the person changed their mind. */
  async function readArguments(
    { callId, arguments: given }: ApprovalRequest,
    signal: AbortSignal,
  ): Promise<JsonObject | undefined> {
    for (;;) {
      const initial = typed.get(callId) ?? printableJson(JSON.stringify(given));
      const reply = await person.readText({ label: "Arguments: ", initial }, signal);
      if (reply.kind === "none") return undefined;
      typed.set(callId, reply.text);
      const parsed = parseObject(reply.text);
      if (typeof parsed !== "string") return parsed;
      const problem = printableLine(`${parsed} Change them, or press Ctrl-C to go back.`);
      screen.print(wrapText([{ text: problem, style: "yellow" }], screen));
    }
  }

  return {
    ask(request, cardNumber) {
      const withdrawn = new AbortController();
      open.set(request.callId, withdrawn);
      const asked = queue.add((signal) => askOne(request, cardNumber, signal), withdrawn.signal);
      void asked.finally(() => {
        if (open.get(request.callId) === withdrawn) open.delete(request.callId);
      });
    },
    answered: (callId) => open.get(callId)?.abort(),
  };
}

function describeAnswer(answer: ApprovalAnswer): string {
  if (answer.kind === "deny") return answer.reason === undefined ? "no" : `no, because ${answer.reason}`;
  return answer.editedArguments === undefined ? LASTING[answer.lasting ?? "once"].label : "with other arguments";
}

function parseObject(text: string): JsonObject | string {
  try {
    const value: unknown = JSON.parse(text);
    const [inexact] = findInexactNumbers(text);
    if (inexact !== undefined) return `That cannot be sent: ${inexactText(inexact)}.`;
    return isJsonObject(value) ? value : "Arguments are a JSON object, such as {}.";
  } catch (error) {
    return `That is not JSON: ${error instanceof Error ? error.message : String(error)}.`;
  }
}

/** Shows the exact call, what the server claims about the tool, why the person is asked, and how the tool has changed since they allowed it. */
function formatRequest(request: ApprovalRequest, cardNumber: number, screen: Screen): string {
  const { shownName, tool, arguments: given, reason, changedFrom, definition } = request;
  const { paint } = screen;
  const title = printableLine(`${cardNumber} ${shownName} · ${tool.server}`);
  const written = printableJson(JSON.stringify(given, undefined, 2)).replace(/^/gm, INDENT);
  const claims = toolClaims(definition);
  const changed = "This tool has changed since you allowed it (- before, + now):";
  return [
    wrapText([{ text: "? ", style: "yellow" }, { text: title, style: "bold" }, { text: " wants to run with" }], screen),
    `${written}\n`,
    ...(changedFrom === undefined
      ? []
      : [
          wrapText([{ text: changed, style: "yellow" }], screen, INDENT),
          formatDifference(changedFrom, definition, paint).replace(/^(?=.)/gm, INDENT),
        ]),
    wrapText([{ text: claims.text, style: claims.isWarning ? "yellow" : "dim" }], screen, INDENT),
    wrapText([{ text: printableLine(reason), style: "dim" }], screen, INDENT),
  ].join("");
}

const INDENT = "  ";
