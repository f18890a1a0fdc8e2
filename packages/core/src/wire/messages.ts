import { EngineError, FAILURE_CODES } from "../domain/failure.ts";
import { isJsonObject, type Json } from "../json/json.ts";
import { outlineOf, textNestsDeeper } from "../json/text-nesting.ts";
import { StoreError, type StoreErrorCode } from "../ports/store-error.ts";

/** Carries texts both ways, in order. Each text is one JSON message. */
export interface TextChannel {
  send(text: string): void;
  /** Sets the listener for incoming texts. Called once, before anything is sent. */
  receive(listener: (text: string) => void): void;
}

/** A message from the client to the engine. `id` is new for each request and each stream. */
export type ClientMessage =
  | {
      readonly type: "ask";
      readonly id: number;
      readonly noun: string;
      readonly method: string;
      readonly args: readonly Json[];
      /** The index of the argument that takes a `signal`. */
      readonly signalAt?: number;
    }
  /** Aborts the signal of a request, or ends a stream. */
  | { readonly type: "end"; readonly id: number }
  /** Asks for the next value of a stream. */
  | { readonly type: "next"; readonly id: number };

/** A message from the engine to the client: one for each request, and one for each `next` of a stream. */
export type HostMessage =
  | { readonly id: number; readonly value?: Json }
  | { readonly id: number; readonly done: true }
  | { readonly id: number; readonly error: WireError };

/** How deep one text may be nested; more than any value of the engine is. */
export const MAX_TEXT_DEPTH = 600;
export const TOO_DEEP = `A message is nested more than ${MAX_TEXT_DEPTH} levels deep`;

/** A message that was not parsed because it is nested too deeply; `id` tells whom it concerns. */
export class TooDeep {
  readonly id: number;
  readonly reason = TOO_DEEP;

  constructor(id: number) {
    this.id = id;
  }
}

/** Parses one text of the channel. Undefined for what concerns no one: it is not JSON, or has no id. */
export function parseText<Message extends { readonly id: number }>(text: string): Message | TooDeep | undefined {
  const isTooDeep = textNestsDeeper(text, MAX_TEXT_DEPTH);
  const parsed = parseJson(isTooDeep ? outlineOf(text) : text);
  if (!isJsonObject(parsed) || typeof parsed.id !== "number") return undefined;
  // The cast is safe: the other end is our own code.
  return isTooDeep ? new TooDeep(parsed.id) : (parsed as unknown as Message);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface WireError {
  readonly name: string;
  readonly code?: string;
  readonly message: string;
}

export function toWireError(error: unknown): WireError {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const { name, message } = error;
  return "code" in error && typeof error.code === "string" ? { name, code: error.code, message } : { name, message };
}

/** Restores the error as doors expect it: they decide by its class and code. */
export function fromWireError({ name, code, message }: WireError): Error {
  const failure = FAILURE_CODES.find((known) => known === code);
  if (name === "EngineError" && failure !== undefined) return new EngineError(failure, message);
  if (name === "StoreError") return new StoreError(code as StoreErrorCode, message);
  return new Error(message);
}
