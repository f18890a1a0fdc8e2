import {
  type Connection,
  ConnectionError,
  type JsonObject,
  mirrorsArguments,
  type OutgoingCall,
  type ServerInfo,
} from "@tacklebox/core";
import { sendAnsweringInput } from "./answer-input.ts";
import { LazyInFlight } from "./in-flight.ts";
import { listPages, TOOLS } from "./list-pages.ts";
import { createOfferMethods } from "./offers.ts";
import { paramHeaders } from "./param-headers.ts";
import type { ServerQuestions } from "./server-questions.ts";
import type { Subscriptions } from "./subscriptions.ts";
import { toToolResult } from "./tool-result.ts";
import { resendAfterUrlElicitation } from "./url-elicitation.ts";
import type { Wire } from "./wire.ts";

export interface ConnectionDeps {
  readonly info: ServerInfo;
  readonly wire: Wire;
  readonly subscriptions: Subscriptions;
  readonly questions: ServerQuestions;
  readonly onServerLog: (line: string) => void;
  /** Releases what the connection holds. Called once, after every request in flight has been failed. */
  readonly stop: () => Promise<void>;
}

/** Builds core's Connection on a wire that is ready for requests. */
export function createConnection(deps: ConnectionDeps): Connection {
  const { info, wire, questions, stop } = deps;
  const mirrorsParams = mirrorsArguments(info);
  let closing: Promise<void> | undefined;

  function sendCall(call: OutgoingCall, answers?: JsonObject) {
    const { name, arguments: given, inputSchema, signal, onProgress, onRoom } = call;
    return wire.send({
      method: "tools/call",
      params: answers === undefined ? { name, arguments: given } : { name, arguments: given, ...answers },
      headers: mirrorsParams ? paramHeaders(inputSchema, given) : undefined,
      signal,
      onProgress,
      onRoom,
    });
  }

  function callLegacy(call: OutgoingCall) {
    let round = sendCall(call);
    const again = () => {
      round = sendCall(call);
      return round.answer;
    };
    const answer = round.answer.then(toToolResult, (failure: unknown) =>
      resendAfterUrlElicitation(failure, again, questions, call.signal).then(toToolResult),
    );
    return new LazyInFlight(answer, () => round.finished);
  }

  function callModern(call: OutgoingCall) {
    const request = sendAnsweringInput((answers) => sendCall(call, answers), questions, call.signal);
    return new LazyInFlight(request.answer.then(toToolResult), () => request.finished);
  }

  return {
    info,
    async listTools(signal) {
      if (info.capabilities.tools === undefined) return { entries: [] };
      return listPages(wire, TOOLS, signal);
    },
    callTool: info.era === "legacy" ? callLegacy : callModern,
    ...createOfferMethods(deps),
    close() {
      wire.end(new ConnectionError("interrupted", "The connection was closed before the server answered."));
      closing ??= stop().catch(() => {});
      return closing;
    },
  };
}
