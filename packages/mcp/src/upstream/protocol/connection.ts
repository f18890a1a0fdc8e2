import { type Connection, ConnectionError, type JsonObject, type OutgoingCall, type ServerInfo } from "@tacklebox/core";
import { sendAnsweringInput } from "./answer-input.ts";
import { RequestsInFlight } from "./in-flight.ts";
import { listPages, TOOLS } from "./list-pages.ts";
import { createOfferMethods } from "./offers.ts";
import { sendAfterAddresses } from "./open-addresses.ts";
import { paramHeaders } from "./param-headers.ts";
import type { ServerQuestions } from "./server-questions.ts";
import type { Subscriptions } from "./subscriptions.ts";
import { toToolResult } from "./tool-result.ts";
import type { Wire } from "./wire.ts";

export interface ConnectionParts {
  readonly info: ServerInfo;
  readonly wire: Wire;
  readonly subscriptions: Subscriptions;
  readonly questions: ServerQuestions;
  readonly onServerLog: (line: string) => void;
  /** Ends what the connection started. Called once, after everything in flight was failed. */
  readonly stop: () => Promise<void>;
}

/** The port's Connection over a wire that is ready for requests. */
export function createConnection(parts: ConnectionParts): Connection {
  const { info, wire, questions, stop } = parts;
  const mirrorsParams = info.era === "modern" && info.transport === "streamable-http";
  let closing: Promise<void> | undefined;

  function sendCall({ name, arguments: given, inputSchema, signal, onProgress }: OutgoingCall, answers?: JsonObject) {
    return wire.send({
      method: "tools/call",
      params: answers === undefined ? { name, arguments: given } : { name, arguments: given, ...answers },
      headers: mirrorsParams ? paramHeaders(inputSchema, given) : undefined,
      signal,
      onProgress,
    });
  }

  function callLegacy(call: OutgoingCall) {
    let leg = sendCall(call);
    const again = () => {
      leg = sendCall(call);
      return leg.answer;
    };
    const answer = leg.answer.then(toToolResult, (failure: unknown) =>
      sendAfterAddresses(failure, again, questions, call.signal).then(toToolResult),
    );
    return new RequestsInFlight(answer, () => leg.finished);
  }

  function callModern(call: OutgoingCall) {
    const request = sendAnsweringInput((answers) => sendCall(call, answers), questions, call.signal);
    return new RequestsInFlight(request.answer.then(toToolResult), () => request.finished);
  }

  return {
    info,
    async listTools(signal) {
      if (info.capabilities.tools === undefined) return { entries: [] };
      return listPages(wire, TOOLS, signal);
    },
    callTool: info.era === "legacy" ? callLegacy : callModern,
    ...createOfferMethods(parts),
    close() {
      wire.end(new ConnectionError("interrupted", "The connection was closed before the server answered."));
      closing ??= stop().catch(() => {});
      return closing;
    },
  };
}
