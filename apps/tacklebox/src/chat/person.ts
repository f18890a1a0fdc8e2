/** Whoever sits at this door: what they are asked, and what they say. */
export interface Person {
  /** What they say next, with the means to say it: earlier lines and completion. */
  readPrompt(signal: AbortSignal): Promise<PersonReply>;
  /** One text, such as a reason. */
  readText(question: TextQuestion, signal: AbortSignal): Promise<PersonReply>;
  /** One of several answers; `key` is what they press. */
  choose(choices: readonly Choice[], signal: AbortSignal): Promise<Chosen>;
  /** What was typed until now is for the next prompt: no text gets it before the returned function is called. */
  holdEarlier(): () => void;
  close(): void;
}

export interface TextQuestion {
  readonly label: string;
  /** There to be changed. */
  readonly initial?: string;
  /** What else one may do, in parts that are two spaces apart. */
  readonly hint?: string;
}

export interface Choice {
  readonly key: string;
  readonly label: string;
}

export type PersonReply =
  | { readonly kind: "said"; readonly text: string }
  | { readonly kind: "silent"; readonly why: NoReply };

export type Chosen =
  | { readonly kind: "chosen"; readonly key: string }
  | { readonly kind: "silent"; readonly why: NoReply };

/** Ctrl-C, the end of input (Ctrl-D), or nobody needs the answer any more. */
export type NoReply = "interrupted" | "left" | "withdrawn";
