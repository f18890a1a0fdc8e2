import * as z from "zod/mini";
import type { JsonSchema } from "../json/json.ts";
import { JsonObject, object } from "../json/schema.ts";
import type { Scope } from "./server.ts";

/**
 * A question a server asks a person in the middle of a call. Its texts are the server's, so show who asks. It is open
 * until it is answered, expires, or no call it could be about is running any more.
 */
export type ServerQuestion = QuestionBase &
  (
    | { readonly kind: "form"; readonly schema: JsonSchema }
    /** Only the person opens this address; the engine never does. */
    | { readonly kind: "url"; readonly url: string }
  );

interface QuestionBase {
  readonly id: string;
  /** The call it belongs to: the caller's latest that the server is working on. */
  readonly callId: string;
  readonly sessionId?: string;
  readonly scope: Scope;
  readonly server: string;
  readonly message: string;
  /** Milliseconds since the epoch; an answer after it does not count. */
  readonly expiresAt: number;
}

/** How a question ended; `withdrawn` means that the answer is no longer needed. */
export type QuestionEnd = ElicitationAnswer["kind"] | "expired" | "withdrawn";

/**
 * A server's request for a person's input, as the connection received it. Untrusted text: show who asks. `sessionId`
 * is set if the server is a session's own.
 */
export type ElicitationRequest = { readonly sessionId?: string } & (
  | { readonly kind: "form"; readonly server: string; readonly message: string; readonly schema: JsonSchema }
  | { readonly kind: "url"; readonly server: string; readonly message: string; readonly url: string }
);

export const ElicitationAnswer = z.discriminatedUnion("kind", [
  object({ kind: z.literal("accept"), content: JsonObject }),
  object({ kind: z.literal("decline") }),
  object({ kind: z.literal("cancel") }),
]);
export type ElicitationAnswer = z.infer<typeof ElicitationAnswer>;

/** A folder or file that servers should work in. */
export interface Root {
  readonly uri: string;
  readonly name?: string;
}
