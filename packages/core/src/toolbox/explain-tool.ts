import { formatDuration } from "../config/entries/parse-duration.ts";
import type { ConnectionStatus } from "../domain/connection.ts";
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
import { findEntry } from "./register-tools.ts";

export interface ExplanationContext {
  readonly toolbox: Toolbox;
  readonly settings: ToolboxSettings;
  readonly pinOf: (ref: ToolRef) => PinState;
  readonly servers: readonly KnownServer[];
  readonly advice?: Pick<Advice, "trust"> | undefined;
}

export interface KnownServer {
  readonly definition: ServerDefinition;
  readonly status: ConnectionStatus | "disabled";
}

/**
 * Answers "why can I (not) call this?" for every tool with this name, with the steps in the order they were decided.
 */
export function explainTool(name: string, server: string | undefined, context: ExplanationContext): ToolExplanation[] {
  const found = refsNamed(name, context.toolbox).filter((ref) => server === undefined || ref.server === server);
  if (found.length > 0) return found.map((ref) => explainRef(ref, context));
  const named = context.settings.tools.filter((candidate) => candidate.name === name);
  const entry =
    server === undefined
      ? named[0]
      : (named.find((candidate) => candidate.server === server) ??
        named.find((candidate) => candidate.server === undefined));
  if (entry === undefined) return [];
  return [explainMissing(name, entry.server ?? server, context.servers)];
}

function refsNamed(name: string, { tools, hidden }: Toolbox): ToolRef[] {
  const registered = [...tools.values()].filter((tool) => tool.shownName === name || tool.ref.name === name);
  const out = hidden.filter(({ ref }) => ref.name === name);
  return [...registered, ...out].map(({ ref }) => ref);
}

function explainRef(ref: ToolRef, { toolbox, settings, pinOf, servers, advice }: ExplanationContext): ToolExplanation {
  const view = servers.find(({ definition }) => definition.key === ref.server && definition.scope === ref.scope);
  const registered = toolIn(toolbox, ref);
  const isNameless = registered !== undefined && !toolbox.tools.has(registered.shownName);
  const hidden = toolbox.hidden.find((tool) => sameRef(tool.ref, ref));
  const steps: ExplanationStep[] = [declaredStep(ref, view, hidden)];
  if (view !== undefined && hidden?.reason.kind !== "quarantined") {
    steps.push(...listSteps(view.definition, ref, hidden, registered, settings));
    if (registered !== undefined) steps.push(...governSteps(view.definition, registered, pinOf(ref), advice));
  }
  const stop = steps.find(({ verdict }) => verdict === "stop");
  const connected = view?.status === "connected";
  steps.push(
    stop === undefined && connected
      ? {
          step: "result",
          verdict: "ok",
          text: isNameless ? withServerText(ref) : `callable as ${registered?.shownName ?? ref.name}`,
        }
      : {
          step: "result",
          verdict: "stop",
          text: `not callable: ${stop?.text ?? `server '${ref.server}' is ${view?.status ?? "gone"}`}`,
        },
  );
  return {
    server: ref.server,
    tool: ref.name,
    ...(registered !== undefined && !isNameless && { shownName: registered.shownName }),
    callable: stop === undefined && connected,
    steps,
  };
}

function declaredStep(ref: ToolRef, view: KnownServer | undefined, hidden: HiddenTool | undefined): ExplanationStep {
  const server = view?.definition.name ?? ref.server;
  if (hidden?.reason.kind === "replaced")
    return { step: "declared", verdict: "stop", text: `listed by '${server}', but ${hidden.reason.detail}` };
  if (hidden?.reason.kind === "quarantined")
    return { step: "declared", verdict: "stop", text: `listed by '${server}' but set aside: ${hidden.reason.detail}` };
  return { step: "declared", verdict: "ok", text: `listed by '${server}', which is ${view?.status ?? "gone"}` };
}

function listSteps(
  definition: ServerDefinition,
  ref: ToolRef,
  hidden: HiddenTool | undefined,
  registered: RegisteredTool | undefined,
  settings: ToolboxSettings,
): ExplanationStep[] {
  const reason = hidden?.reason;
  const steps: ExplanationStep[] = [];
  const entry = findEntry(settings, definition, ref.name);
  const mode = entry?.mode ?? definition.mode;
  if (reason?.kind === "unconfigured") steps.push({ step: "mode", verdict: "stop", text: reason.detail });
  else
    steps.push({
      step: "mode",
      verdict: "ok",
      text: `${mode}, ${whereConfigured(definition, ref, entry)}`,
    });
  if (reason?.kind === "not-allowed") steps.push({ step: "allow/deny", verdict: "stop", text: reason.detail });
  else steps.push({ step: "allow/deny", verdict: "ok", text: "no list keeps it out" });
  if (reason?.kind === "collision") steps.push({ step: "collision", verdict: "warn", text: reason.detail });
  else if (registered !== undefined && registered.shownName !== ref.name)
    steps.push({ step: "collision", verdict: "ok", text: `shown to models as ${registered.shownName}` });
  return steps;
}

function withServerText({ server, name }: ToolRef): string {
  return `callable as '${name}' of the server '${server}', not by its name alone`;
}

function whereConfigured({ tools = [] }: ServerDefinition, ref: ToolRef, entry: ToolEntry | undefined): string {
  if (ref.scope === "session") return "brought by the session, so toolbox.tools does not apply";
  if (tools.some(({ name }) => name === ref.name)) return "configured in custom_tools";
  return entry === undefined ? "not in toolbox.tools" : "configured in toolbox.tools";
}

function governSteps(
  definition: ServerDefinition,
  registered: RegisteredTool,
  pin: PinState,
  advice: ExplanationContext["advice"],
): ExplanationStep[] {
  const { limits, configuredBy, approval, tool } = registered;
  const source = {
    explicit: "its own entry",
    merged: "its entry over the server's defaults",
    default: "the server's defaults",
  };
  return [
    pinStep(definition, pin, advice),
    {
      step: "limits",
      verdict: "ok",
      text: `${limits.maxInstances} at once, ${formatDuration(limits.timeoutMs)} each (from ${source[configuredBy]})`,
    },
    approvalStep(approval),
    ...(tool.mirrored === undefined ? [] : [headersStep(tool.mirrored)]),
  ];
}

function headersStep(mirrored: readonly MirroredArgument[]): ExplanationStep {
  const text = `repeats arguments in HTTP headers, which proxies and their logs can read: ${mirroredText(mirrored)}`;
  return { step: "headers", verdict: "warn", text };
}

function pinStep(definition: ServerDefinition, pin: PinState, advice: ExplanationContext["advice"]): ExplanationStep {
  if (pin.kind !== "changed") return { step: "pin", verdict: "ok", text: "its definition is the one first used" };
  const next = advice === undefined ? "" : `; accept it with: ${advice.trust(definition.key)}`;
  const text = `its definition changed since it was first used (pin: ${definition.pin})${next}`;
  return { step: "pin", verdict: definition.pin === "block" ? "stop" : "warn", text };
}

function approvalStep(approval: RegisteredTool["approval"]): ExplanationStep {
  if (approval === "deny") return { step: "approval", verdict: "stop", text: "approval: deny" };
  if (approval === "ask")
    return { step: "approval", verdict: "warn", text: "approval: ask; a door with nobody to ask denies it" };
  return {
    step: "approval",
    verdict: "ok",
    text: approval === "auto" ? "approval: auto" : "as the door decides; command-line calls run it",
  };
}

function explainMissing(name: string, server: string | undefined, servers: readonly KnownServer[]): ToolExplanation {
  const down = servers.filter(({ status }) => status !== "connected").map(({ definition }) => `'${definition.name}'`);
  const hint = down.length === 0 ? "" : ` (not connected: ${down.join(", ")})`;
  const where = server === undefined ? "no connected server or local tool" : `server '${server}'`;
  const text = server === undefined ? `${where} provides it${hint}` : `${where} does not provide it${hint}`;
  return {
    server: server ?? "",
    tool: name,
    callable: false,
    steps: [
      { step: "declared", verdict: "stop", text: `configured in toolbox.tools, but ${text}` },
      { step: "result", verdict: "stop", text: `not callable: ${text}` },
    ],
  };
}
