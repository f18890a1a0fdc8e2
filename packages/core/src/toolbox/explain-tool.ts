import { formatDuration } from "../config/entries/parse-duration.ts";
import type { PinState } from "../domain/grant.ts";
import type { ServerDefinition } from "../domain/server.ts";
import type { ExplanationStep, ToolExplanation } from "../domain/server-view.ts";
import {
  type HiddenTool,
  type RegisteredTool,
  sameRef,
  type Toolbox,
  type ToolboxSettings,
  type ToolRef,
  toolIn,
} from "../domain/tool.ts";
import type { ToolEntry } from "../domain/tool-entry.ts";
import { type MirroredArgument, mirroredText } from "../json/mirrored-arguments.ts";
import type { Advice } from "../ports/advice.ts";
import { findObstacles, knownServerOf, listedObstacle, type Sight } from "./find-obstacles.ts";
import type { KnownServer } from "./known-servers.ts";
import { type Obstacle, type ObstacleAdvice, placeOfApproval, serverObstacle, withNext } from "./obstacle.ts";
import { findEntry } from "./register-tools.ts";

export interface ExplanationContext extends Sight {
  readonly pinOf: (ref: ToolRef) => PinState;
  readonly advice?: (ObstacleAdvice & Pick<Advice, "trust">) | undefined;
  /** How a call of the tool would be approved, where its caller is known. */
  readonly approvalOf?: ((tool: RegisteredTool, definition: ServerDefinition) => Approval) | undefined;
}

/** What becomes of a call, as people read it. */
export type Approval = Pick<ExplanationStep, "verdict" | "text">;

/**
 * Answers "why can I (not) call this?" for every tool with this name, with the steps in the order they were decided. It
 * gives the same causes as a call that fails.
 */
export function explainTool(name: string, server: string | undefined, context: ExplanationContext): ToolExplanation[] {
  const found = refsNamed(name, context.toolbox).filter((ref) => server === undefined || ref.server === server);
  const absent = findObstacles(name, server, context).filter(({ ref }) => !found.some((one) => sameRef(one, ref)));
  const explained = [...found.map((ref) => explainRef(ref, context)), ...absent.map(explainAbsent)];
  if (explained.length > 0) return explained;
  const named = context.settings.tools.filter((candidate) => candidate.name === name);
  const entry =
    server === undefined
      ? named[0]
      : (named.find((candidate) => candidate.server === server) ??
        named.find((candidate) => candidate.server === undefined));
  if (entry === undefined) return [];
  return [explainMissing(name, entry.server ?? server, context)];
}

function refsNamed(name: string, { tools, hidden }: Toolbox): ToolRef[] {
  const registered = [...tools.values()].filter((tool) => tool.shownName === name || tool.ref.name === name);
  const out = hidden.filter(({ ref }) => ref.name === name);
  return [...registered, ...out].map(({ ref }) => ref);
}

function explainRef(ref: ToolRef, context: ExplanationContext): ToolExplanation {
  const { toolbox } = context;
  const known = knownServerOf(ref, context);
  const registered = toolIn(toolbox, ref);
  const isNameless = registered !== undefined && !toolbox.tools.has(registered.shownName);
  const hidden = toolbox.hidden.find((tool) => sameRef(tool.ref, ref));
  const obstacle = hidden && listedObstacle(hidden, context);
  const steps: ExplanationStep[] = [declaredStep(ref, known, hidden)];
  if (known !== undefined && hidden?.reason.kind !== "quarantined") {
    steps.push(...listSteps(known.definition, ref, { hidden, obstacle, registered }, context.settings));
    if (registered !== undefined) steps.push(...governSteps(known.definition, registered, context));
  }
  const stop = steps.find(({ verdict }) => verdict === "stop");
  const away = known === undefined ? undefined : serverObstacle(known, ref.name, context);
  const why = obstacle ?? (stop === undefined ? away : { text: stop.text, next: nextFor(stop, registered) });
  const callable = why === undefined && known !== undefined;
  const text = isNameless ? withServerText(ref) : `callable as ${registered?.shownName ?? ref.name}`;
  steps.push(callable ? { step: "result", verdict: "ok", text } : notCallable(why ?? { text: goneText(ref) }));
  return {
    server: ref.server,
    tool: ref.name,
    ...(registered !== undefined && !isNameless && { shownName: registered.shownName }),
    callable,
    steps,
  };
}

function nextFor({ step }: ExplanationStep, registered: RegisteredTool | undefined): string | undefined {
  return step === "approval" && registered?.approval === "deny" ? "To allow it, change that setting" : undefined;
}

/** A tool of a server that is disabled, down or not up yet: what more there is to say is not known. */
function explainAbsent(obstacle: Obstacle): ToolExplanation {
  const { ref, text } = obstacle;
  return {
    server: ref.server,
    tool: ref.name,
    callable: false,
    steps: [{ step: "declared", verdict: "stop", text }, notCallable(obstacle)],
  };
}

function notCallable({ text, next }: { readonly text: string; readonly next?: string | undefined }): ExplanationStep {
  return { step: "result", verdict: "stop", text: withNext(`not callable: ${text}`, next) };
}

function goneText({ server }: ToolRef): string {
  return `server '${server}' is no longer here`;
}

function declaredStep(ref: ToolRef, known: KnownServer | undefined, hidden: HiddenTool | undefined): ExplanationStep {
  const server = known?.definition.name ?? ref.server;
  if (hidden?.reason.kind === "replaced")
    return { step: "declared", verdict: "stop", text: `listed by '${server}', but ${hidden.reason.detail}` };
  if (hidden?.reason.kind === "quarantined")
    return { step: "declared", verdict: "stop", text: `listed by '${server}' but set aside: ${hidden.reason.detail}` };
  return { step: "declared", verdict: "ok", text: `listed by '${server}', which is ${statusOf(known)}` };
}

function statusOf(known: KnownServer | undefined): string {
  if (known === undefined) return "gone";
  const status = known.state?.status ?? "disabled";
  return status === "error" ? "down" : status;
}

/** What the toolbox holds of one tool. */
interface Found {
  readonly hidden: HiddenTool | undefined;
  readonly obstacle: Obstacle | undefined;
  readonly registered: RegisteredTool | undefined;
}

function listSteps(
  definition: ServerDefinition,
  ref: ToolRef,
  { hidden, obstacle, registered }: Found,
  settings: ToolboxSettings,
): ExplanationStep[] {
  const reason = hidden?.reason;
  const text = obstacle?.text ?? "";
  const steps: ExplanationStep[] = [];
  const entry = findEntry(settings, definition, ref.name);
  const mode = entry?.mode ?? definition.mode;
  if (reason?.kind === "unconfigured") steps.push({ step: "mode", verdict: "stop", text });
  else
    steps.push({
      step: "mode",
      verdict: "ok",
      text: `${mode}, ${whereConfigured(definition, ref, entry, settings)}`,
    });
  if (reason?.kind === "not-allowed") steps.push({ step: "allow/deny", verdict: "stop", text });
  else steps.push({ step: "allow/deny", verdict: "ok", text: "no list keeps it out" });
  if (reason?.kind === "collision") steps.push({ step: "collision", verdict: "warn", text: reason.detail });
  else if (registered !== undefined && registered.shownName !== ref.name)
    steps.push({ step: "collision", verdict: "ok", text: `shown to models as ${registered.shownName}` });
  return steps;
}

function withServerText({ server, name }: ToolRef): string {
  return `callable as '${name}' of the server '${server}', not by its name alone`;
}

function whereConfigured(
  { tools = [] }: ServerDefinition,
  ref: ToolRef,
  entry: ToolEntry | undefined,
  { writtenAs }: ToolboxSettings,
): string {
  const list = `${writtenAs}.tools`;
  if (ref.scope === "session") return `brought by the session, so ${list} does not apply`;
  if (tools.some(({ name }) => name === ref.name)) return "configured in custom_tools";
  return entry === undefined ? `not in ${list}` : `configured in ${list}`;
}

function governSteps(
  definition: ServerDefinition,
  registered: RegisteredTool,
  context: ExplanationContext,
): ExplanationStep[] {
  const { limits, configuredBy, tool } = registered;
  const source = {
    explicit: "its own entry",
    merged: "its entry over the server's defaults",
    default: "the server's defaults",
  };
  const approval = context.approvalOf?.(registered, definition) ?? usualApproval(registered.approval);
  const isDenied = registered.approval === "deny";
  const place = isDenied ? placeOfApproval(registered, definition, context) : "";
  return [
    pinStep(definition, context.pinOf(registered.ref), context.advice),
    {
      step: "limits",
      verdict: "ok",
      text: `${limits.maxInstances} at once, ${formatDuration(limits.timeoutMs)} each (from ${source[configuredBy]})`,
    },
    { step: "approval", ...approval, text: `${approval.text}${place}` },
    ...(tool.mirrored === undefined ? [] : [headersStep(tool.mirrored)]),
  ];
}

function headersStep(mirrored: readonly MirroredArgument[]): ExplanationStep {
  const text = `repeats arguments in HTTP headers, which proxies and their logs can read: ${mirroredText(mirrored)}`;
  return { step: "headers", verdict: "warn", text };
}

function pinStep(definition: ServerDefinition, pin: PinState, advice: ExplanationContext["advice"]): ExplanationStep {
  if (pin.kind !== "changed") return { step: "pin", verdict: "ok", text: "its definition is the accepted one" };
  const next = advice === undefined ? "" : `; accept it with: ${advice.trust(definition.key)}`;
  const text = `its definition changed since it was accepted (pin: ${definition.pin})${next}`;
  return { step: "pin", verdict: definition.pin === "block" ? "stop" : "warn", text };
}

/** For calls from the command line, where nobody is asked. */
function usualApproval(approval: RegisteredTool["approval"]): Approval {
  if (approval === "deny") return { verdict: "stop", text: "approval: deny" };
  if (approval === "ask") return { verdict: "warn", text: "approval: ask; denied where nobody can be asked" };
  if (approval === "auto") return { verdict: "ok", text: "approval: auto" };
  return { verdict: "ok", text: "runs when called from the command line; chats and editors ask as they are set to" };
}

function explainMissing(name: string, server: string | undefined, { servers, settings }: Sight): ToolExplanation {
  const down = servers
    .filter(({ state }) => state?.status !== "connected")
    .map(({ definition }) => `'${definition.name}'`);
  const hint = down.length === 0 ? "" : ` (not connected: ${down.join(", ")})`;
  const where = server === undefined ? "no connected server or local tool" : `server '${server}'`;
  const text = server === undefined ? `${where} provides it${hint}` : `${where} does not provide it${hint}`;
  return {
    server: server ?? "",
    tool: name,
    callable: false,
    steps: [
      { step: "declared", verdict: "stop", text: `configured in ${settings.writtenAs}.tools, but ${text}` },
      { step: "result", verdict: "stop", text: `not callable: ${text}` },
    ],
  };
}
