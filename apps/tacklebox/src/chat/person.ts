/** The person at the chat: asks them, and reads what they type. */
export interface Person {
  /** Reads the next prompt, with history and completion. */
  readPrompt(signal: AbortSignal): Promise<PersonReply>;
  /** Reads one text, such as a reason. */
  readText(question: TextQuestion, signal: AbortSignal): Promise<PersonReply>;
  /**
   * Asks for one of several choices; the person presses its `key`, alone. What was typed before, and keys that come in
   * a burst, are text for the next prompt: never an answer, nor read by the texts that follow the choice.
   */
  choose(choices: readonly Choice[], signal: AbortSignal): Promise<Chosen>;
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
  /** Set if the key only selects the choice: what Enter then does, such as `allows it for this session`. */
  readonly enter?: string;
}

export type PersonReply =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "none"; readonly why: NoReply };

export type Chosen =
  | { readonly kind: "chosen"; readonly key: string }
  | { readonly kind: "none"; readonly why: NoReply };

/** Why there is no reply: Ctrl-C, the end of input (Ctrl-D), or the question was withdrawn. */
export type NoReply = "interrupted" | "left" | "withdrawn";
