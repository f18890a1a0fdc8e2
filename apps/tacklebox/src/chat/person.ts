/** The person at the chat: asks them, and reads what they type. */
export interface Person {
  /** Reads the next prompt, with history and completion. */
  readPrompt(signal: AbortSignal): Promise<PersonReply>;
  /** Reads one text, such as a reason. */
  readText(question: TextQuestion, signal: AbortSignal): Promise<PersonReply>;
  /** Asks for one of several choices; the person presses its `key`. */
  choose(choices: readonly Choice[], signal: AbortSignal): Promise<Chosen>;
  /** Keeps what was typed ahead for the next prompt: no question reads it until the returned function is called. */
  holdTypeAhead(): () => void;
  close(): void;
}

export interface TextQuestion {
  readonly label: string;
  /** A text that is already there, to be edited. */
  readonly initial?: string;
  /** Other things the person can type, separated by two spaces. */
  readonly hint?: string;
}

export interface Choice {
  readonly key: string;
  readonly label: string;
}

export type PersonReply =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "none"; readonly why: NoReply };

export type Chosen =
  | { readonly kind: "chosen"; readonly key: string }
  | { readonly kind: "none"; readonly why: NoReply };

/** Why there is no reply: Ctrl-C, the end of input (Ctrl-D), or the question was withdrawn. */
export type NoReply = "interrupted" | "left" | "withdrawn";
