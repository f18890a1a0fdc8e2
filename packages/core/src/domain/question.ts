import type { JsonObject, JsonSchema } from "../json/json.ts";
import type { Scope } from "./server.ts";

/**
 * What a server asks a person in the middle of a call. Its texts are the server's: show who asks. It waits until it is
 * answered, its time is over, or no call that it could be about is running any more.
 */
export type ServerQuestion = QuestionBase &
  (
    | { readonly kind: "form"; readonly schema: JsonSchema }
    /** The person is to open this address; nobody else does. */
    | { readonly kind: "url"; readonly url: string }
  );

interface QuestionBase {
  readonly id: string;
  /** The call it belongs to: the last one of its caller that the server is working on. */
  readonly callId: string;
  readonly sessionId?: string;
  readonly scope: Scope;
  readonly server: string;
  readonly message: string;
  /** Milliseconds since the epoch; an answer after it does not count. */
  readonly expiresAt: number;
}

/** How a question came to its end; `withdrawn`: nobody needs the answer any more. */
export type QuestionEnd = ElicitationAnswer["kind"] | "expired" | "withdrawn";

/**
 * A server asks the person for something in the middle of its work. Untrusted text: show who asks. `sessionId` is set
 * where the server is a session's own.
 */
export type ElicitationRequest = { readonly sessionId?: string } & (
  | { readonly kind: "form"; readonly server: string; readonly message: string; readonly schema: JsonSchema }
  | { readonly kind: "url"; readonly server: string; readonly message: string; readonly url: string }
);

export type ElicitationAnswer =
  | { readonly kind: "accept"; readonly content: JsonObject }
  | { readonly kind: "decline" }
  | { readonly kind: "cancel" };

/** A folder or file a server is told it may care about. */
export interface Root {
  readonly uri: string;
  readonly name?: string;
}
