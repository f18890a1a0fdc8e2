import { EngineError, FAILURE_CODES } from "../domain/failure.ts";
import type { Json } from "../json/json.ts";
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
